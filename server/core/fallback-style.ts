/**
 * Style of the pages that are shown if rendering failed. The Content-Security-Policy contains the hash of this text
 * (`styleHashes` in server/http/security-headers): a change needs a new hash.
 */
export const fallbackStyle = `
body { margin: 0; }
.tl-fallback { min-height: 100dvh; display: grid; place-content: center; gap: 0.75rem; padding: 2rem; background: #faf9f6; color: #1d2129; font-family: 'Newsreader Variable', Georgia, 'Times New Roman', serif; }
.tl-fallback h1 { margin: 0; font-size: 1.75rem; font-weight: 500; }
.tl-fallback p { margin: 0; max-width: 34rem; line-height: 1.55; color: #545a65; }
.tl-fallback div { display: flex; gap: 1.25rem; margin-top: 0.5rem; font: 0.9rem 'Inter Variable', system-ui, sans-serif; }
.tl-fallback :is(a, button) { font: inherit; color: #2b5bd7; background: none; border: 0; padding: 0; text-decoration: underline; text-underline-offset: 3px; cursor: pointer; }
@media (prefers-color-scheme: dark) {
  .tl-fallback { background: #171a1e; color: #e9e6df; }
  .tl-fallback p { color: #aeb2ba; }
  .tl-fallback :is(a, button) { color: #8aaaff; }
}`;
