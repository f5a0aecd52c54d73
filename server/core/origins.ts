/** The origins in a comma-separated text, each as browsers write it (`https://media.example`); null where one is none. */
export function parseOrigins(text: string): string[] | null {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const origins = items.map(originOf);
  return origins.includes(null) ? null : [...new Set(origins as string[])];
}

/** Null for anything with a path, a name or password, a wildcard, or another protocol. */
function originOf(text: string): string | null {
  if (!/^https?:\/\/[^\s/*;,'"]+\/?$/.test(text) || !URL.canParse(text)) return null;
  const { origin, username, password } = new URL(text);
  return username === '' && password === '' ? origin : null;
}
