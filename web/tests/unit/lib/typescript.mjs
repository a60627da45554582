// Lets node read the client's TypeScript as it stands: node --import ./tests/unit/lib/typescript.mjs
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
