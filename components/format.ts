import { perLanguage } from '#components/language.ts';

const whole = perLanguage((code) => new Intl.NumberFormat(code));
const oneDecimal = perLanguage((code) => new Intl.NumberFormat(code, { maximumFractionDigits: 1 }));
const rules = perLanguage((code) => new Intl.PluralRules(code));
const money = (digits: number) =>
  perLanguage((code) => {
    const shape = { minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
    return new Intl.NumberFormat(code, {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      ...shape,
    });
  });
const [roundMoney, money2, money4] = [money(0), money(2), money(4)];

/** Whole numbers with separators: `1,234`. */
export const number = { format: (value: number): string => whole().format(value) };

const threeDecimals = perLanguage((code) => new Intl.NumberFormat(code, { maximumFractionDigits: 3 }));

/** Numbers with at most three decimals: `4.096`. */
export const preciseNumber = { format: (value: number): string => threeDecimals().format(value) };

/** A number with its noun: `1 change`, `2 changes`. `many`: default, the noun with an `s`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number.format(count)} ${rules().select(count) === 'one' ? one : many}`;
}

/** A number with at most one decimal: `3.4`, `12`. */
export function rounded(value: number): string {
  return oneDecimal().format(value);
}

/** A short token count for a ring or a row: `850`, `3.4k`, `128k`, `1M`. */
export function compactNumber(value: number): string {
  if (value < 1000) return String(Math.round(value));
  if (value < 10_000) return `${rounded(value / 1000)}k`;
  if (value < 1_000_000) return `${String(Math.round(value / 1000))}k`;
  return `${rounded(value / 1_000_000)}M`;
}

/** An amount in US dollars: `$0.0123`, `$1.25`, `-$0.02`. */
export function dollars(value: number): string {
  const amount = Math.abs(value);
  if (amount === 0) return roundMoney().format(0);
  if (amount < 0.0001) return value > 0 ? `< ${money4().format(0.0001)}` : roundMoney().format(0);
  return (amount < 1 ? money4() : money2()).format(value);
}

/** A percentage, rounded: `42 %`. `value`: percent. */
export function percentage(value: number): string {
  return `${number.format(Math.round(value))} %`;
}

/** The part of the memory that is in use, rounded; percent. More than all of it means nothing to users. */
export function shownPercent(percent: number): number {
  return Math.min(100, Math.round(percent));
}

/** A size in bytes: `12 kB`, `3.4 MB`, `5.1 GB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000_000) return `${number.format(Math.max(1, Math.round(bytes / 1_000)))} kB`;
  return bytes < 1_000_000_000 ? `${rounded(bytes / 1_000_000)} MB` : `${rounded(bytes / 1_000_000_000)} GB`;
}

/**
 * Formats times (epoch milliseconds) in the language of the interface, in the reader's time zone unless the options
 * name another.
 */
export function dates(options: Intl.DateTimeFormatOptions): { readonly format: (time: number) => string } {
  // British English for English: the day before the month, and 24 hours.
  const made = perLanguage((code) => new Intl.DateTimeFormat(code === 'en' ? 'en-GB' : code, options));
  return { format: (time) => made().format(time) };
}
