//! HTTP as it is deployed: proxies, certificates, headers.
