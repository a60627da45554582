//! What the encryption of pushes (the crate `ece`) computes with: the curve, hash and cipher of the crates that passkeys
//! need anyway.

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes128Gcm, Nonce};
use ece::crypto::{Cryptographer, EcKeyComponents, LocalKeyPair, RemotePublicKey};
use ece::{Error, Result};
use hkdf::Hkdf;
use p256::{PublicKey, SecretKey, ecdh};
use rand::Rng;
use sha2::Sha256;
use std::any::Any;

struct Own(SecretKey);

struct Theirs(PublicKey);

impl LocalKeyPair for Own {
    fn pub_as_raw(&self) -> Result<Vec<u8>> {
        Ok(raw(&self.0.public_key()))
    }

    fn raw_components(&self) -> Result<EcKeyComponents> {
        let private = self.0.to_bytes().to_vec();
        Ok(EcKeyComponents::new(private, self.pub_as_raw()?))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl RemotePublicKey for Theirs {
    fn as_raw(&self) -> Result<Vec<u8>> {
        Ok(raw(&self.0))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A public key as it goes over the wire: both coordinates.
pub fn raw(key: &PublicKey) -> Vec<u8> {
    p256::ecdsa::VerifyingKey::from(key)
        .to_sec1_point(false)
        .as_bytes()
        .to_vec()
}

/// A key that nobody knows.
pub fn fresh_key() -> SecretKey {
    loop {
        let mut bytes = [0; 32];
        rand::rng().fill_bytes(&mut bytes);
        // All but very few numbers are keys.
        if let Ok(key) = SecretKey::from_slice(&bytes) {
            return key;
        }
    }
}

/// The backend.
pub struct RustCrypto;

fn fault<E>(_: E) -> Error {
    Error::CryptoError
}

fn nonce(iv: &[u8]) -> Result<Nonce<aes_gcm::aead::consts::U12>> {
    let iv: [u8; 12] = iv.try_into().map_err(fault)?;
    Ok(iv.into())
}

impl Cryptographer for RustCrypto {
    fn generate_ephemeral_keypair(&self) -> Result<Box<dyn LocalKeyPair>> {
        Ok(Box::new(Own(fresh_key())))
    }

    fn import_key_pair(&self, components: &EcKeyComponents) -> Result<Box<dyn LocalKeyPair>> {
        let key = SecretKey::from_slice(components.private_key()).map_err(fault)?;
        Ok(Box::new(Own(key)))
    }

    fn import_public_key(&self, raw: &[u8]) -> Result<Box<dyn RemotePublicKey>> {
        let key = PublicKey::from_sec1_bytes(raw).map_err(fault)?;
        Ok(Box::new(Theirs(key)))
    }

    fn compute_ecdh_secret(
        &self,
        remote: &dyn RemotePublicKey,
        local: &dyn LocalKeyPair,
    ) -> Result<Vec<u8>> {
        let theirs = remote.as_any().downcast_ref::<Theirs>();
        let own = local.as_any().downcast_ref::<Own>();
        let (Some(Theirs(theirs)), Some(Own(own))) = (theirs, own) else {
            return Err(Error::CryptoError);
        };
        let shared = ecdh::diffie_hellman(own.to_nonzero_scalar(), theirs.as_affine());
        Ok(shared.raw_secret_bytes().to_vec())
    }

    fn hkdf_sha256(&self, salt: &[u8], secret: &[u8], info: &[u8], len: usize) -> Result<Vec<u8>> {
        let mut key = vec![0; len];
        let hkdf = Hkdf::<Sha256>::new(Some(salt), secret);
        hkdf.expand(info, &mut key).map_err(fault)?;
        Ok(key)
    }

    fn aes_gcm_128_encrypt(&self, key: &[u8], iv: &[u8], data: &[u8]) -> Result<Vec<u8>> {
        let cipher = Aes128Gcm::new_from_slice(key).map_err(fault)?;
        cipher.encrypt(&nonce(iv)?, data).map_err(fault)
    }

    fn aes_gcm_128_decrypt(&self, key: &[u8], iv: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let cipher = Aes128Gcm::new_from_slice(key).map_err(fault)?;
        cipher.decrypt(&nonce(iv)?, sealed).map_err(fault)
    }

    fn random_bytes(&self, dest: &mut [u8]) -> Result<()> {
        rand::rng().fill_bytes(dest);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::RustCrypto;

    /// The examples of RFC 8291, by the crate's own test of backends.
    #[test]
    fn it_computes_as_the_rfc_says() {
        let _ = ece::crypto::set_cryptographer(&RustCrypto);
        ece::crypto::test_cryptographer(RustCrypto);
    }
}
