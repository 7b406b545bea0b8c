//! The resources that jobs and pods request.

use crate::units::Quantity;

/// Resources that a job or a pod requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Resources {
    /// Cores.
    pub cpu: Option<Quantity>,
    /// Bytes of memory.
    pub memory: Option<Quantity>,
    /// Devices.
    pub gpu: Option<Quantity>,
}
