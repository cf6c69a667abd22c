"""Runs tests of mpi4py's suite, by its own main.py, and writes how each of them ended.

    mpirun -n N python outcomes.py DIRECTORY (only | without) NAMES [arguments of main.py]

in the directory of the suite runs those tests only, or all but those, that the file NAMES names, one a
line. Each rank writes DIRECTORY/RANK, lines of an outcome, a test's name and the reason, separated by
tabulators. Outcomes are `left` (not run), `began`, and then `passed`, `failed` or `skipped`; a test of
several parts may have failed and something else. The last line is `end`, and a rank that came no further
has `began` there.
"""

import os
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.getcwd())

import main as suite  # noqa: E402

DIRECTORY, WHICH, NAMES = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
FILE = (DIRECTORY / os.environ["PMI_RANK"]).open("w", encoding="utf-8")


def write(outcome, name="", reason=""):
    print(outcome, name, " ".join(str(reason).split()), sep="\t", file=FILE, flush=True)


def each(tests):
    """The tests in suites of suites."""
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


class Program(suite.TestProgram):
    """The suite's program, which chooses among its tests."""

    def createTests(self, *args, **options):
        super().createTests(*args, **options)
        names, chosen = set(NAMES.read_text(encoding="utf-8").split()), []
        for test in each(self.test):
            if (test.id() in names) == (WHICH == "only"):
                chosen.append(test)
            else:
                write("left", test.id())
        self.test = unittest.TestSuite(chosen)


class Result(unittest.TextTestResult):
    """Writes what happens. The preparation of a class or module that fails is an outcome, too."""

    failing = None

    def startTest(self, test):
        super().startTest(test)
        write("began", test.id())

    def addSuccess(self, test):
        super().addSuccess(test)
        write("passed", test.id())

    def addFailure(self, test, error):
        super().addFailure(test, error)
        write("failed", test.id(), repr(error[1]))

    def addError(self, test, error):
        super().addError(test, error)
        write("failed", test.id(), repr(error[1]))

    def addSubTest(self, test, subtest, error):
        # The first failure of a test is enough: there are tests with thousands of parts.
        if error is not None and test is not self.failing:
            self.failing = test
            super().addSubTest(test, subtest, error)
            write("failed", test.id(), repr(error[1]))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        write("skipped", test.id(), reason)

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        write("passed", test.id())

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        write("failed", test.id(), "succeeds, which the suite does not expect")


class Runner(unittest.TextTestRunner):
    """The usual one, with these results."""

    resultclass = Result


try:
    Program(module=None, argv=["main.py", *sys.argv[4:]], testRunner=Runner)
finally:
    write("end")
    FILE.close()
