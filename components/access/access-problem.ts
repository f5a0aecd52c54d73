import { issuesOf, messageOf } from '#components/api/api-error.ts';
import { translator } from '#components/i18n.ts';

const t = translator('access');

/**
 * The reason why a form about people or keys was refused. Problems of single fields are more precise than the general
 * message.
 */
export function accessProblem(error: unknown): string {
  const all = issuesOf(error);
  // A problem of the whole form is in the general message.
  const issues = all.filter(({ path }) => path !== '');
  const problems = issues.map(({ path, message }) =>
    t('refused', { field: t.find(`fields.${path.split('.').at(-1) ?? ''}`) ?? path, message }),
  );
  return problems.length === 0 ? messageOf(error) : problems.join(' ');
}
