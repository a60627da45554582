// How the client is bundled. The content security policy of the server allows no inline script and no inline
// style, so nothing is inlined here. In development, `/api` goes to a server that runs beside (HUSUN_SERVER).
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { svelte } from '@sveltejs/vite-plugin-svelte';

const server = process.env['HUSUN_SERVER'] ?? 'http://127.0.0.1:8000';
const proxy = {
  '/api': { target: server, ws: true, changeOrigin: true, headers: { origin: server } },
};

/** Puts a compressed twin beside each text, as small as can be: the server sends it as it is. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    // Written past the bundler, which would list each of them.
    async writeBundle({ dir }, bundle) {
      if (dir === undefined) return;
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      for (const file of Object.values(bundle)) {
        if (!/\.(js|css)$/.test(file.fileName)) continue;
        const text = file.type === 'chunk' ? file.code : file.source;
        await writeFile(join(dir, `${file.fileName}.br`), brotliCompressSync(text, { params }));
      }
    },
  };
}

export default defineConfig({
  plugins: [svelte(), compressed()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What every page with a board has comes in one piece, which is smaller than its parts.
          includeDependenciesRecursively: false,
          groups: [
            {
              // So does what nearly every page needs.
              name: 'base',
              test: /src\/(api\/(http|greet|socket|ratings|session\.svelte)\.|parts\/(clock|words|plain|Bot|NotThere|Report|Sure|lasting)\.)/,
            },
            {
              // The games and their families, wherever they are listed or chosen.
              name: 'families',
              test: /src\/(home\/(families|first|lists)|parts\/games)\./,
            },
            {
              name: 'Board',
              test: /src\/(board\/(Board|Grid|Chooser|asking|board|say)|parts\/(Pieces|MoveList|CopyLink))\.|chessgroundx/,
            },
          ],
        },
      },
    },
  },
  server: { proxy },
  preview: { proxy },
});
