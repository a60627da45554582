// Types are taken off, and imports without an ending find their file, as the bundler does it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export function resolve(name, context, next) {
  if (name.startsWith('.') && context.parentURL?.endsWith('.ts')) {
    const file = new URL(`${name}.ts`, context.parentURL);
    if (existsSync(fileURLToPath(file))) return { url: file.href, shortCircuit: true };
  }
  return next(name, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { outputText } = ts.transpileModule(await readFile(new URL(url), 'utf8'), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    },
  });
  return { format: 'module', source: outputText, shortCircuit: true };
}
