// Checks docs/api/openapi.yaml with the rules of Redocly, warnings included:
//   node script/lint-api.mjs
// The rules come as a library that the client's generator needs anyway, so that
// the large command-line tool around it is not needed.

import { fileURLToPath } from 'node:url';
import { createConfig, formatProblems, getTotals, lint }
  from '@redocly/openapi-core';

const document = fileURLToPath(
  new URL('../docs/api/openapi.yaml', import.meta.url));

// Bodies of requests are open.
const example = { severity: 'error', allowAdditionalProperties: true };
const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // Nobody chose a license yet.
    'info-license': 'off',
    // The pixel's suffix tells /c/{link_id}.gif from /c/{link_id}.
    'no-ambiguous-paths': 'off',
    // One redirects and one may say that it was not changed.
    'operation-2xx-response': 'off',
    'no-invalid-media-type-examples': example,
    'no-invalid-schema-examples': example,
    'no-invalid-parameter-examples': example,
    'no-required-schema-properties-undefined': 'error',
    'operation-description': 'error',
    'operation-operationId-unique': 'error',
    'operation-singular-tag': 'error',
    'no-unresolved-refs': 'error',
    'component-name-unique': 'error',
    'parameter-description': 'error',
    'path-declaration-must-exist': 'error',
    'path-not-include-query': 'error',
    'tag-description': 'error',
    'security-defined': 'error',
  },
});
const problems = await lint({ ref: document, config });
const totals = getTotals(problems);
if (problems.length > 0)
  formatProblems(problems, { totals, version: '', format: 'codeframe' });
console.log(`lint-api: ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
