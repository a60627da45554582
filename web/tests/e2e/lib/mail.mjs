// A mail server of the test's own, on loopback: it takes letters and keeps them.
import { createServer } from 'node:net';

export async function mailServer() {
  const letters = [];
  const server = createServer((socket) => {
    let text = '';
    let inData = false;
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.write('220 mail.test ESMTP\r\n');
    socket.on('data', (part) => {
      text += part;
      for (;;) {
        const end = text.indexOf(inData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const taken = text.slice(0, end);
        text = text.slice(end + (inData ? 5 : 2));
        if (inData) letters.push(taken);
        inData = !inData && taken.toUpperCase() === 'DATA';
        socket.write(inData ? '354 go on\r\n' : '250 fine\r\n');
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    /** The text of the next letter. */
    async next() {
      const end = Date.now() + 15_000;
      while (!letters.length) {
        if (Date.now() > end) throw new Error('no letter comes');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return letters.shift();
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
