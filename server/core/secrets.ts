const HIDDEN = '[hidden]';

/** Keys as they look: our own, those of providers. */
const KEYS = /\b(?:(?:sk|pk|rk|gsk|xai|hf)[-_]|tl_)[\w*.-]{6,}|\bAIza[\w-]{10,}/g;
const SCHEMES = /\b(bearer|basic)\s{1,5}[\w+/=.~-]{6,}/gi;
/** Names of secret fields, in JSON within a text too; hidden is the value up to the end of its quotes, or of the word. */
const NAME = '(?:authorization|cookie|api[-_ ]?key|password|secret|access[-_]?token|auth[-_]?token)';
const QUOTED = new RegExp(`(${NAME}\\\\{0,4}["']\\s{0,5}[:=]\\s{0,5}\\\\{0,4}["'])[^"'\\\\\\n]+`, 'gi');
const COOKIES = /(cookie\s{0,5}[:=]\s{0,5})[^"'\\\n]+/gi;
const UNQUOTED = new RegExp(`(${NAME}\\s{0,5}[:=]\\s{0,5})(?:(?:bearer|basic)\\s{1,5})?[^\\s"',;\\\\]+`, 'gi');
const IN_URLS = /(\/\/)[^/\s:@"'\\]{0,200}:[^/\s@"'\\]{1,200}@/g;
const IN_QUERIES = /([?&](?:key|token|access[-_]?token)=)[^&\s"'\\#]+/gi;
const SECRET_FIELD = /(?:authorization|cookie|api[-_]?key|password|secret|token)$/i;

/** Longer texts are cut: what is told of an error fits in it. Characters. */
const MAX_TEXT = 8_000;

/** A text without what looks like a key, a password or a cookie. */
function hideSecrets(text: string): string {
  return text
    .replace(QUOTED, `$1${HIDDEN}`)
    .replace(COOKIES, `$1${HIDDEN}`)
    .replace(UNQUOTED, `$1${HIDDEN}`)
    .replace(SCHEMES, `$1 ${HIDDEN}`)
    .replace(KEYS, HIDDEN)
    .replace(IN_URLS, `$1${HIDDEN}@`)
    .replace(IN_QUERIES, `$1${HIDDEN}`);
}

/** Other account data that a provider of models may quote, in whatever form it has it. */
const ACCOUNT_DATA: readonly RegExp[] = [
  /\b(?:key|org|proj)[-_][\w*.-]{4,}/gi,
  /\b(?:token|secret)["']?\s*[:=]\s*["']?[^\s"',;]+/gi,
  /[\w+/=-]{40,}/g,
];

/** What a provider said, without what looks like a secret or account data. It hides more than our own texts bear. */
export function hideAccountData(text: string): string {
  return ACCOUNT_DATA.reduce((rest, data) => rest.replace(data, HIDDEN), hideSecrets(text));
}

/** Shorter values may be ordinary words. */
const MIN_LENGTH = 6;

/**
 * Makes what takes secrets out of JSON, in all of its texts and names: these values, what looks like one, and what stands
 * in a field that is named after one.
 */
export function createHider(secrets: readonly (string | undefined)[]): (value: unknown) => unknown {
  const known = secrets.filter((secret) => secret !== undefined).filter(({ length }) => length >= MIN_LENGTH);
  const forms = known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  // The longest first: one may be part of another.
  const values = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  const hideText = (text: string) =>
    hideSecrets(values.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text).slice(0, MAX_TEXT));
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return hideText(value);
    if (Array.isArray(value)) return value.map(hide);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        hideText(name),
        typeof inner === 'string' && SECRET_FIELD.test(name) ? HIDDEN : hide(inner),
      ]),
    );
  };
  return hide;
}

/** Begins every secret as it is stored. */
export const SEALED_PREFIX = 'enc:1:';

/** Tells whether a value is a secret that could not be opened, because it was stored with another key. */
export function isSealed(value: string): boolean {
  return value.startsWith(SEALED_PREFIX);
}
