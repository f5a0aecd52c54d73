/** The colours that can be named; any other is given as `#rrggbb`. */
const COLORS: Readonly<Record<string, string>> = {
  black: '#000000',
  blue: '#1d4ed8',
  brown: '#7c4a21',
  gold: '#b7791f',
  gray: '#6b7280',
  green: '#15803d',
  grey: '#6b7280',
  navy: '#1e3a5f',
  orange: '#c2410c',
  pink: '#be185d',
  purple: '#6d28d9',
  red: '#b91c1c',
  teal: '#0f766e',
  turquoise: '#0e7490',
  yellow: '#a16207',
};

/** `#rrggbb` of a named colour; what is not named is returned as it is, for the tool to judge. */
export function colorOf(text: string): string {
  return COLORS[text.toLowerCase()] ?? text;
}
