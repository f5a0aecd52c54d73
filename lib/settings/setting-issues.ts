import { ApiError } from '#lib/api/api-error';
import { withLabels } from '#lib/settings/setting-text';
import { settingsStrings } from '#lib/strings/settings';
import type { SettingIssue } from '#server/core/settings-report';

/** What the server refused, by the setting where the user can correct it. */
export function settingIssues(error: unknown, changed: readonly string[]): Readonly<Record<string, string>> {
  const found = issuesOf(error).map((issue) => {
    const [name = '', ...inside] = issue.path.split('.');
    if (inside.length > 0) return [name, `${inside.join('.')}: ${issue.message}.`] as const;
    // Of two that do not fit together only one may have been changed: there it is corrected.
    if (issue.related !== undefined && !changed.includes(name) && changed.includes(issue.related)) {
      return [issue.related, sentence(`${name} ${issue.message}`)] as const;
    }
    return [name, sentence(issue.message)] as const;
  });
  return Object.fromEntries(found.toReversed());
}

function sentence(text: string): string {
  const labelled = withLabels(text);
  const first = labelled.charAt(0).toUpperCase() + labelled.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function issuesOf(error: unknown): readonly SettingIssue[] {
  if (!(error instanceof ApiError) || typeof error.details !== 'object' || error.details === null) return [];
  const { issues } = error.details as { readonly issues?: unknown };
  return Array.isArray(issues)
    ? (issues as SettingIssue[]).filter(({ path }) => path in settingsStrings.labels || path.includes('.'))
    : [];
}
