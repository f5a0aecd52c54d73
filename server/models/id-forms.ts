/** `:free`, `:beta`, `:thinking`: the same model under other terms. */
const VARIANT = /:[a-z0-9-]+$/;
/** `-2024-11-20`, `-20250514`, `@20250514`, `-0613`, `-latest`. */
const RELEASE = /[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$/;

/** Vendors write `claude-sonnet-4-5`, OpenRouter `claude-sonnet-4.5`: the form under which both are kept and found. */
export function idKey(id: string): string {
  return id.trim().toLowerCase().replaceAll('.', '-');
}

/** The keys under which a model may be found, the most exact first: as it is, without variant, without release. */
export function idForms(id: string): string[] {
  const exact = idKey(id);
  const plain = exact.replace(VARIANT, '');
  return [exact, plain, plain.replace(RELEASE, '')];
}
