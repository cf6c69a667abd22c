//! The values for other programs.

use std::collections::BTreeSet;

use serde_json::json;

use crate::report::summary::{Group, Summary};
use crate::stats::Estimate;

/// The version of the JSON. It grows when a key changes its meaning or goes.
const FORMAT: u32 = 2;

/// The summary, with every sample that counts.
pub fn json(summary: &Summary) -> String {
    format!("{:#}\n", json!({ "format": FORMAT, "summary": summary }))
}

/// A line for each value: where, which variant, its median, its best and its ratio to the baseline.
///
/// # Errors
/// None that are known; those of the CSV library.
pub fn csv(summary: &Summary) -> Result<String, Box<dyn std::error::Error>> {
    let coordinates: BTreeSet<&String> = summary
        .groups
        .iter()
        .flat_map(|group| group.rows.iter().flat_map(|row| row.at.keys()))
        .collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["benchmark", "metric", "unit", "better"];
    header.extend(coordinates.iter().map(|name| name.as_str()));
    header.extend(["variant", "samples", "median", "low", "high", "best"]);
    header.extend(["ratio", "ratio_low", "ratio_high", "failed", "difference"]);
    writer.write_record(&header)?;
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    for group in &summary.groups {
        for row in &group.rows {
            for variant in &summary.experiment.variants {
                let Some(cell) = row.cells.get(&variant.name) else { continue };
                let better = word(json!(group.better));
                let mut line =
                    vec![group.benchmark.clone(), group.metric.clone(), group.unit.clone(), better];
                line.extend(
                    coordinates
                        .iter()
                        .map(|name| row.at.get(*name).map(ToString::to_string).unwrap_or_default()),
                );
                let median = cell.median;
                line.extend([variant.name.clone(), median.samples.to_string()]);
                line.extend(numbers(Some(median)));
                line.push(cell.best(group.better).to_string());
                line.extend(numbers(cell.ratio));
                line.push(cell.failed.to_string());
                line.push(cell.difference.map(|it| word(json!(it))).unwrap_or_default());
                writer.write_record(&line)?;
            }
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// A value and the ends of its interval; nothing where there is none.
fn numbers(estimate: Option<Estimate>) -> [String; 3] {
    let value = estimate.map(|it| it.value).filter(|value| !value.is_nan());
    let ends = estimate.and_then(|it| it.interval);
    [value, ends.map(|it| it.low), ends.map(|it| it.high)]
        .map(|number| number.map(|it| it.to_string()).unwrap_or_default())
}

/// What the files of a table are called.
pub fn name(number: usize, group: &Group) -> String {
    let plain = |text: &str| {
        text.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect::<String>()
    };
    format!("{}-{}-{}", number + 1, plain(&group.benchmark), plain(&group.metric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::tests::summary;

    #[test]
    fn every_value_is_a_line() {
        let text = csv(&summary()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "benchmark,metric,unit,better,threads,variant,samples,median,low,high,best,\
             ratio,ratio_low,ratio_high,failed,difference"
        );
        assert_eq!(lines.len(), 7);
        assert_eq!(lines[3], "rates,rate,message/s,higher,2,a,8,20,20,20,20,2,2,2,0,more");
        assert_eq!(lines[4], "rates,rate,message/s,higher,2,b,8,10,10,10,10,,,,0,");
    }

    #[test]
    fn samples_are_in_the_json() {
        let it: serde_json::Value = serde_json::from_str(&json(&summary())).unwrap();
        assert_eq!(it["format"], 2);
        let cell = &it["summary"]["groups"][0]["rows"][1]["cells"]["a"];
        assert_eq!(cell["samples"]["3"], 20.0);
        assert_eq!(cell["difference"], "more");
        assert_eq!(it["summary"]["verdicts"][0]["finding"], "holds");
    }
}
