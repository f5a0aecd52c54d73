import { headers } from 'next/headers';
import Link from 'next/link';
import { translator } from '#components/i18n.ts';
import { DOCS_PATH } from '#components/workspace/navigation.ts';
import { CodeBlock } from '#components/docs/operation';
import { RichText } from '#components/docs/schema-fields';
import { PageTitle } from '#components/ui/page-parts';
import { apiDocument } from '#app/api-document';
import { referenceAreas } from '#app/api-reference';
import { requestOrigin } from '#server/http/request-origin';

const t = translator('docs');

/** An example of a request. */
const command = (origin: string) => `curl ${origin}/api/sessions -H "Authorization: Bearer $THROUGHLINE_KEY"`;

/** Start page of the API reference: how to call the API, its areas, and its errors. */
export default async function ReferencePage() {
  const document = await apiDocument();
  const origin = requestOrigin(await headers()) ?? '';
  const refusals = Object.entries(document.components.responses).filter(([name]) => name.startsWith('Error'));
  return (
    <>
      <PageTitle title={t('title')} />
      <p className="mt-2 max-w-[70ch] text-base text-ink-2">
        <RichText text={document.info.description} />
      </p>
      <div className="mt-5 max-w-3xl">
        <CodeBlock label={t('parts.example')} text={command(origin)} copyLabel={t('copy')} />
      </div>
      <p className="mt-3 text-sm">
        <a href="/api/openapi.json" target="_blank" className="text-accent underline underline-offset-2">
          {t('shell.document')}
        </a>
      </p>
      <ul className="mt-10 grid gap-4 sm:grid-cols-2">
        {referenceAreas(document).map(({ slug, name, description, operations }) => (
          <li key={slug}>
            <Link
              href={`${DOCS_PATH}/${slug}`}
              className="block h-full rounded-md border border-rule bg-sheet p-4 hover:border-rule-strong"
            >
              <span className="font-serif text-lg font-medium">{name}</span>
              <span className="block text-sm text-ink-2">{description}</span>
              <span className="mt-2 block text-xs text-ink-3">
                {t('start.operations', { count: operations.length })}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <h2 className="mt-12 font-serif text-xl font-medium">{t('start.refusals')}</h2>
      <p className="max-w-[70ch] text-sm text-ink-2">{t('start.refusalsIntro')}</p>
      <table className="mt-4 w-full text-left text-sm">
        <thead>
          <tr className="border-b border-rule-strong">
            <th className="py-2 pr-6 font-medium">{t('start.status')}</th>
            <th className="py-2 font-medium">{t('start.meaning')}</th>
          </tr>
        </thead>
        <tbody>
          {refusals.map(([name, { description }]) => (
            <tr key={name} className="border-b border-rule align-baseline">
              <td className="py-2 pr-6 font-mono text-xs">{name.replace('Error', '')}</td>
              <td className="py-2 text-ink-2">
                <RichText text={description} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
