//! Certificates and keys, made anew for every control plane.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};

/// A certificate authority.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate and its private key, in PEM.
#[derive(Clone)]
pub struct Pair {
    /// The certificate.
    pub certificate: String,
    /// The private key.
    pub key: String,
}

impl Authority {
    /// A new authority.
    pub fn new(name: &str) -> Authority {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().expect("generate a key");
        let certificate = params.self_signed(&key).expect("sign the authority");
        Authority { pem: certificate.pem(), issuer: Issuer::new(params, key) }
    }

    /// The authority's own certificate, in PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// A server certificate for these names and addresses.
    pub fn server(&self, names: &[&str]) -> Pair {
        let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        let mut params = CertificateParams::new(names).expect("valid names");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(params)
    }

    /// A client certificate, which Kubernetes reads as a user and a group.
    pub fn client(&self, user: &str, group: Option<&str>) -> Pair {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, user);
        if let Some(group) = group {
            let organization = DnType::OrganizationName;
            params.distinguished_name.push(organization, group);
        }
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(params)
    }

    fn sign(&self, mut params: CertificateParams) -> Pair {
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate().expect("generate a key");
        let signed = params.signed_by(&key, &self.issuer).expect("sign");
        Pair { certificate: signed.pem(), key: key.serialize_pem() }
    }
}

/// The private and the public key of service-account tokens, in PEM.
pub(crate) fn signing_keys() -> (String, String) {
    let pair = KeyPair::generate().expect("generate a key");
    (pair.serialize_pem(), pair.public_key_pem())
}
