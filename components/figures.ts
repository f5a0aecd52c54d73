/** Whole numbers with separators: `1,234`. */
export const number = new Intl.NumberFormat('en-US');

/** A number with its noun: `1 change`, `2 changes`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number.format(count)} ${count === 1 ? one : many}`;
}

/** An amount in US dollars: `$0.0123`, `$1.25`, `-$0.02`. */
export function dollars(value: number): string {
  const amount = Math.abs(value);
  if (amount === 0) return '$0';
  if (amount < 0.0001) return value > 0 ? '< $0.0001' : '$0';
  return `${value < 0 ? '-' : ''}$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}

/** A percentage: `42 %`. */
export function percentage(value: number): string {
  return `${number.format(Math.round(value))} %`;
}

/** The size of a file: `12 kB`, `3.4 MB`. */
export function fileSize(bytes: number): string {
  return bytes < 1_000_000
    ? `${number.format(Math.max(1, Math.round(bytes / 1_000)))} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
