// @ts-check

/** What all tests use; run.mjs fills it in. */
export const shared = {
  binary: '',
  browser: /** @type {import('playwright-core').Browser} */ (
    /** @type {unknown} */ (undefined)),
};
