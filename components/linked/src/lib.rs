//! The components that are linked into the library and the tools.
//!
//! Naming a crate here is all it takes: its descriptor is in the list that `inventory` collects at
//! link time. A component that is not named is built as a shared library by `cargo xtask dist`.

#![forbid(unsafe_code)]

use btl_ofi as _;
use btl_self as _;
use btl_sm as _;
use btl_tcp as _;
use btl_uct as _;
use btl_ugni as _;
use coll_basic as _;
use coll_sm as _;
use coll_tuned as _;
use coll_two_level as _;
use cri_dedicated as _;
use cri_round_robin as _;
use issue_adaptive as _;
use issue_eager as _;
use issue_lazy as _;
use match_bins as _;
use match_list as _;
use match_sharded as _;
use match_vector as _;
use osc_rdma as _;
use osc_sm as _;
use pmi_pmi1 as _;
use pmi_singleton as _;
use pml_ob1 as _;
use progress_concurrent as _;
use progress_hybrid as _;
use progress_serial as _;
use progress_thread as _;
use smsc_cma as _;
use smsc_ring as _;
use wait_adaptive as _;
use wait_block as _;
use wait_spin as _;
use wait_yield as _;
