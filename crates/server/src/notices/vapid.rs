//! The key by which push services know this server (RFC 8292): made at the first start, kept in the data folder, readable
//! by its owner alone.

use super::crypto;
use crate::visitor::write_private;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::SecretKey;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::json;
use std::io;
use std::path::Path;

/// For how long, in seconds, a push service may believe what was signed: at most a day.
const HOLDS: i64 = 12 * 3600;

/// The key.
#[derive(Clone)]
pub struct VapidKey {
    key: SigningKey,
    /// The public half, as pages and push services are told it.
    public: String,
    /// Whom push services may write to.
    contact: Option<String>,
}

impl std::fmt::Debug for VapidKey {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VapidKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

impl VapidKey {
    /// The key of a data folder, made if it is missing.
    pub fn of(folder: &Path, contact: Option<String>) -> io::Result<VapidKey> {
        let path = folder.join(store::backup::PUSH_KEY);
        let damaged = || {
            let message = format!(
                "{}: no key; put the file of a backup there, or remove it to make a new one: then everybody turns \
                 pushes on anew",
                path.display()
            );
            io::Error::new(io::ErrorKind::InvalidData, message)
        };
        let secret = match std::fs::read_to_string(&path) {
            Ok(text) => {
                let bytes = URL_SAFE_NO_PAD.decode(text.trim()).map_err(|_| damaged())?;
                SecretKey::from_slice(&bytes).map_err(|_| damaged())?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = crypto::fresh_key();
                let text = URL_SAFE_NO_PAD.encode(key.to_bytes());
                write_private(&path, format!("{text}\n").as_bytes())?;
                key
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(damaged()),
            Err(error) => return Err(error),
        };
        let public = crypto::raw(&secret.public_key());
        Ok(VapidKey {
            key: SigningKey::from(&secret),
            public: URL_SAFE_NO_PAD.encode(public),
            contact,
        })
    }

    /// The public half, as base64url.
    pub fn public(&self) -> &str {
        &self.public
    }

    /// What a push service at an origin is shown, at a time in seconds of Unix time.
    pub fn authorization(&self, origin: &str, now: i64) -> String {
        let mut claims = json!({ "aud": origin, "exp": now + HOLDS });
        if let Some(contact) = &self.contact {
            claims["sub"] = contact.as_str().into();
        }
        let head = json!({ "typ": "JWT", "alg": "ES256" });
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(head), part(claims));
        let signature: Signature = self.key.sign(signed.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
        format!("vapid t={signed}.{signature}, k={}", self.public)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn the_key_stays_and_signs_as_others_check() -> Tested {
        let folder = std::env::temp_dir().join(format!("husun-vapid-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let first = VapidKey::of(&folder, Some("mailto:club@example.org".into()))?;
        let again = VapidKey::of(&folder, None)?;
        assert_eq!(first.public(), again.public());
        let path = folder.join(store::backup::PUSH_KEY);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path)?.permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let shown = first.authorization("https://push.example.org", 1_000_000);
        let (token, key) = shown
            .strip_prefix("vapid t=")
            .and_then(|rest| rest.split_once(", k="))
            .ok_or("another form")?;
        let (signed, signature) = token.rsplit_once('.').ok_or("no signature")?;
        let (key, signature) = (
            URL_SAFE_NO_PAD.decode(key)?,
            URL_SAFE_NO_PAD.decode(signature)?,
        );
        let checked = ring::signature::UnparsedPublicKey::new(
            &ring::signature::ECDSA_P256_SHA256_FIXED,
            &key,
        );
        assert!(checked.verify(signed.as_bytes(), &signature).is_ok());
        assert!(checked.verify(b"another text", &signature).is_err());
        let (_, claims) = signed.split_once('.').ok_or("no claims")?;
        let claims: serde_json::Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims)?)?;
        let expected = json!({
            "aud": "https://push.example.org", "exp": 1_043_200, "sub": "mailto:club@example.org"
        });
        assert_eq!(claims, expected);
        // What is no key is not written over.
        std::fs::write(&path, "no key")?;
        let error = VapidKey::of(&folder, None).err().ok_or("taken")?;
        assert!(error.to_string().contains("push.key"), "{error}");
        assert_eq!(std::fs::read_to_string(&path)?, "no key");
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }
}
