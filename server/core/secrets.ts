/* Removes secrets from texts and log lines. */

const HIDDEN = '[hidden]';

/** Patterns of API keys: our own and those of providers. */
const KEYS = /\b(?:(?:sk|pk|rk|gsk|xai|hf)[-_]|tl_)[\w*.-]{6,}|\bAIza[\w-]{10,}/g;
const SCHEMES = /\b(bearer|basic)\s{1,5}[\w+/=.~-]{6,}/gi;
/**
 * Names of secret fields, also in JSON within a text; the value is hidden up to the closing quote or the end of the
 * word.
 */
const NAME = '(?:authorization|cookie|api[-_ ]?key|password|secret|access[-_]?token|auth[-_]?token)';
const QUOTED = new RegExp(`(${NAME}\\\\{0,4}["']\\s{0,5}[:=]\\s{0,5}\\\\{0,4}["'])[^"'\\\\\\n]+`, 'gi');
const COOKIES = /(cookie\s{0,5}[:=]\s{0,5})[^"'\\\n]+/gi;
const UNQUOTED = new RegExp(`(${NAME}\\s{0,5}[:=]\\s{0,5})(?:(?:bearer|basic)\\s{1,5})?[^\\s"',;\\\\]+`, 'gi');
const IN_URLS = /(\/\/)[^/\s:@"'\\]{0,200}:[^/\s@"'\\]{1,200}@/g;
const IN_QUERIES = /([?&](?:key|token|access[-_]?token)=)[^&\s"'\\#]+/gi;
/** Names of fields whose values are hidden completely. */
const SECRET_FIELD = /(?:authorization|cookie|api[-_]?key|password|secret|token)$/i;

/** Maximum characters of a text; the rest is cut. Every error description is shorter. */
const MAX_TEXT = 8_000;

/** Removes from a text what looks like a key, a password or a cookie. */
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

/** Other account data that a model provider may quote, in various formats. */
const ACCOUNT_DATA: readonly RegExp[] = [
  /\b(?:key|org|proj)[-_][\w*.-]{4,}/gi,
  /\b(?:token|secret)["']?\s*[:=]\s*["']?[^\s"',;]+/gi,
  /[\w+/=-]{40,}/g,
];

/** Removes from a provider's message what looks like a secret or account data. Too broad for our own texts. */
export function hideAccountData(text: string): string {
  return ACCOUNT_DATA.reduce((rest, data) => rest.replace(data, HIDDEN), hideSecrets(text));
}

/** Minimum characters of a secret that is searched for: a shorter one may be an ordinary word. */
const MIN_LENGTH = 6;

/**
 * Creates a function that replaces secrets in all texts and names of a JSON value: the given secrets, texts that look like
 * a secret, and values of fields whose name says that they are one.
 * @param secrets undefined ones are skipped
 */
export function createHider(secrets: readonly (string | undefined)[]): (value: unknown) => unknown {
  const known = secrets.filter((secret) => secret !== undefined).filter(({ length }) => length >= MIN_LENGTH);
  const forms = known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  // Longest first: one value may be part of another.
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

/** Prefix of every encrypted value in the database (server/platform/database/secret-box). */
export const SEALED_PREFIX = 'enc:1:';

/** True for an encrypted value. After decryption: true if it could not be decrypted, because another key was used. */
export function isSealed(value: string): boolean {
  return value.startsWith(SEALED_PREFIX);
}
