import { ChevronRight } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { translator } from '#components/i18n.ts';
import { localizedText } from '#components/message-text.ts';
import { Button } from '#components/ui/buttons';
import { number } from '#components/format.ts';
import type { ImportedKind, ImportReport } from '#server/core/site/imports';

const t = translator('import.report');
const tKinds = translator('sectionKinds');
/** Kinds of content that a report counts, in the order of its lines. */
export const importedKinds = ['page', 'post', 'picture', 'menu', 'settings'] as const satisfies readonly ImportedKind[];
/** Remarks shown before the user expands the list; a large site has many. A choice, not measured. */
const MAX_INITIAL_REMARKS = 12;
const columns = ['created', 'updated', 'unchanged', 'notTaken'] as const;

/** Result of an import or of its dry run: figures by kind, items not imported, and items changed on import. */
export function ImportReportView({
  report: { counts, sections, notTaken, altered },
}: {
  readonly report: ImportReport;
}) {
  const kinds = importedKinds.filter((kind) => columns.some((column) => (counts[kind]?.[column] ?? 0) > 0));
  return (
    <div className="flex flex-col gap-5">
      {kinds.length > 0 && (
        <table className="w-full max-w-[36rem] border-collapse text-sm tabular-nums">
          <caption className="sr-only">{t('label')}</caption>
          <thead>
            <tr className="border-b border-rule-strong text-right text-xs text-ink-2">
              <th scope="col" className="pb-1.5 text-left font-normal">
                {t('kind')}
              </th>
              {columns.map((column) => (
                <th key={column} scope="col" className="pb-1.5 pl-3 font-normal">
                  {t(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind} className="border-b border-rule text-right">
                <th scope="row" className="py-2 text-left font-normal">
                  {t(`kinds.${kind}`)}
                </th>
                {columns.map((column) => (
                  <Figure key={column} value={counts[kind]?.[column] ?? 0} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Sections sections={sections} />
      {notTaken.length === 0 && altered.length === 0 && kinds.length > 0 && (
        <p className="text-sm text-ink-2">{t('allTaken')}</p>
      )}
      <Remarks title={t('left')} remarks={notTaken} />
      <Remarks title={t('altered')} remarks={altered} />
    </div>
  );
}

function Figure({ value }: { readonly value: number }) {
  return <td className={value === 0 ? 'py-2 pl-3 text-ink-3' : 'py-2 pl-3'}>{number.format(value)}</td>;
}

function Sections({ sections }: { readonly sections: ImportReport['sections'] }) {
  const types = Object.entries(sections).toSorted(([, a], [, b]) => b - a);
  if (types.length === 0) return null;
  return (
    <p className="text-sm text-ink-2">
      {t('sections')}:{' '}
      {types.map(([type, count]) => t('sectionCount', { type: tKinds.find(`${type}.name`) ?? type, count })).join(', ')}
    </p>
  );
}

interface RemarksProps {
  readonly title: string;
  readonly remarks: ImportReport['notTaken'];
}

function Remarks({ title, remarks }: RemarksProps) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const [isExpanded, setIsExpanded] = useState(false);
  if (remarks.length === 0) return null;
  // A button for one or two more remarks would take as much space as the remarks.
  const shown =
    isExpanded || remarks.length <= MAX_INITIAL_REMARKS + 2 ? remarks : remarks.slice(0, MAX_INITIAL_REMARKS);
  // The button disappears, so the focus moves to the first remark that it revealed.
  const showAll = () => {
    flushSync(() => setIsExpanded(true));
    list.current?.children[MAX_INITIAL_REMARKS]?.querySelector<HTMLElement>('summary')?.focus();
  };
  return (
    <div>
      <p id={id} className="text-sm font-medium">
        {title}
      </p>
      <ul ref={list} aria-labelledby={id} className="mt-1.5 border-t border-rule">
        {shown.map((remark) => (
          <li key={`${remark.kind} ${remark.reason} ${remark.name}`} className="border-b border-rule py-2 text-sm">
            <Remark {...remark} />
          </li>
        ))}
      </ul>
      {shown.length < remarks.length && (
        <Button variant="ghost" className="mt-2" onClick={showAll}>
          {t('showAll', { count: remarks.length })}
        </Button>
      )}
    </div>
  );
}

/** The reason and the number of affected items; the items themselves on request. */
function Remark({ kind, name, reason, message, count }: ImportReport['notTaken'][number]) {
  const what = (
    <>
      <span className="shrink-0 font-mono text-xs text-ink-2">{kind}</span>
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{localizedText(message, reason)}</span>
      <span className="shrink-0 text-ink-2 tabular-nums">{number.format(count)}</span>
    </>
  );
  if (name === '') return <p className="flex items-baseline gap-2 pl-5.5">{what}</p>;
  return (
    <details className="group">
      <summary className="flex cursor-pointer list-none items-baseline gap-2 rounded hover:bg-ink/4">
        <ChevronRight
          aria-hidden
          className="size-3.5 shrink-0 self-center text-ink-3 transition-transform group-open:rotate-90"
        />
        {what}
      </summary>
      <p className="pt-1 pl-5.5 text-ink-2 [overflow-wrap:anywhere]">{name}</p>
    </details>
  );
}
