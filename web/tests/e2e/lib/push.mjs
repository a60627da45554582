// A push service of the test's own, on loopback, with the browser behind it: it takes what the server posts, checks who has
// signed it and reads it, with Node's own cryptography.
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';

const bytes = (text) => Buffer.from(text, 'base64url');
const word = (data) => Buffer.from(data).toString('base64url');

/** What a push says that was encrypted for a browser: RFC 8291 and RFC 8188, of one record. */
function open(body, { ecdh, auth }) {
  const salt = body.subarray(0, 16);
  const length = body[20];
  const sender = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const derive = (secret, salt, info, size) => Buffer.from(hkdfSync('sha256', secret, salt, info, size));
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
  const secret = derive(ecdh.computeSecret(sender), auth, about, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createDecipheriv('aes-128-gcm', key, nonce);
  cipher.setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  // The last record ends with a 2, and what fills it up with zeros.
  const end = text.lastIndexOf(2);
  return text.subarray(0, end).toString();
}

/** The claims of what a server has signed with its key. */
function checked(authorization, key) {
  const [, token, shown] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization);
  if (shown !== key) throw new Error(`another key, ${shown}`);
  const [head, claims, signature] = token.split('.');
  const raw = bytes(key);
  const jwk = { kty: 'EC', crv: 'P-256', x: word(raw.subarray(1, 33)), y: word(raw.subarray(33)) };
  const by = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' };
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), by, bytes(signature)))
    throw new Error('the signature is wrong');
  return JSON.parse(bytes(claims));
}

export async function pushService() {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  const auth = randomBytes(16);
  const posted = [];
  let bell = () => {};
  const service = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      posted.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(201).end();
      bell();
    });
  });
  await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${service.address().port}`;
  return {
    origin,
    /** As the browser gives it. */
    subscription: {
      endpoint: `${origin}/browser`,
      expirationTime: null,
      keys: { p256dh: word(ecdh.getPublicKey()), auth: word(auth) },
    },
    /** The next push: what only the browser can read, after it is checked that the server with this key has signed it. */
    async next(key) {
      const end = Date.now() + 15_000;
      while (!posted.length) {
        if (Date.now() > end) throw new Error('nothing is pushed');
        await new Promise((resolve) => {
          bell = resolve;
          setTimeout(resolve, 500);
        });
      }
      const { headers, body } = posted.shift();
      return { text: open(body, { ecdh, auth }), claims: checked(headers.authorization, key), headers };
    },
    waiting: () => posted.length,
    stop: () => new Promise((resolve) => service.close(resolve)),
  };
}
