import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { world } from './map/world';

const here = dirname(fileURLToPath(import.meta.url));

// The binary embeds the files by their names, so that they have no hash; it
// serves them with an ETag.
export default defineConfig({
  root: here,
  base: '/',
  logLevel: 'warn',
  plugins: [world()],
  // Nothing is written beside the sources.
  cacheDir: `${here}/../node_modules/.vite`,
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    // Everything is a file of its own: the policy of the page allows no data
    // in the style sheet.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      output: {
        inlineDynamicImports: true,
        entryFileNames: 'assets/dashboard.js',
        assetFileNames: 'assets/dashboard[extname]',
      },
    },
  },
});
