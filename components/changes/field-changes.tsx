import { translator } from '#components/i18n.ts';
import { type DiffRow, diffRows, fieldTitle } from '#components/changes/diff-rows.ts';
import { diffText, foldUnchanged } from '#components/changes/text-diff.ts';
import clsx from 'clsx';
import { useMemo, useState } from 'react';
import type { FieldChange } from '#server/core/site/changes';

const t = translator('changes');

/** `one`: both versions in one text. `two`: in columns or, on a narrow screen, one below the other. */
export type DiffLayout = 'one' | 'two';

interface FieldChangesProps {
  readonly fields: readonly FieldChange[];
  /** Default `one`. */
  readonly layout?: DiffLayout;
}

/** Changed fields with removed text struck out and new text marked. */
export function FieldChanges({ fields, layout = 'one' }: FieldChangesProps) {
  if (fields.length === 0) return <p className="text-sm text-ink-3">{t('noFields')}</p>;
  return (
    <dl className="flex flex-col gap-3">
      {fields.map((field, index) => (
        <Field key={`${field.field} ${field.sectionId ?? ''} ${index}`} field={field} layout={layout} />
      ))}
    </dl>
  );
}

function Field({ field, layout }: { readonly field: FieldChange; readonly layout: DiffLayout }) {
  const rows = useMemo(() => (field.excerpts === undefined ? diffRows(field) : []), [field]);
  return (
    <div>
      <dt className="flex items-baseline gap-2 text-xs text-ink-3">
        <span className="min-w-0 font-medium text-ink-2 [overflow-wrap:anywhere]">{fieldTitle(field.field)}</span>
        <span>{t(field.kind)}</span>
        {field.position !== undefined && field.kind !== 'changed' && (
          <span>{t('position', { place: field.position })}</span>
        )}
      </dt>
      <dd className="mt-1 flex flex-col gap-2 border-l-2 border-rule pl-3">
        {field.excerpts?.map(({ at, before, after }) => (
          <div key={at}>
            <p className="text-2xs text-ink-3">{t('fromCharacter', { place: at + 1 })}</p>
            <TextDiff before={before} after={after} layout={layout} />
          </div>
        )) ?? rows.map((row, index) => <Row key={index} row={row} layout={layout} />)}
        {field.omitted && <p className="text-sm text-ink-3">{t('omitted', field.omitted)}</p>}
      </dd>
    </div>
  );
}

function Row({ row, layout }: { readonly row: DiffRow; readonly layout: DiffLayout }) {
  return (
    <div>
      {row.label !== null && <p className="text-2xs text-ink-3 [overflow-wrap:anywhere]">{row.label}</p>}
      {row.kind === 'moved' ? <Move row={row} /> : <TextDiff before={row.before} after={row.after} layout={layout} />}
    </div>
  );
}

function Move({ row: { before, after } }: { readonly row: DiffRow }) {
  return <p className="text-sm">{t('movedTo', { before, after })}</p>;
}

interface TextDiffProps {
  readonly before: string;
  readonly after: string;
  readonly layout: DiffLayout;
}

/** Two versions of a text with their differences marked. */
function TextDiff({ before, after, layout }: TextDiffProps) {
  const pieces = useMemo(() => foldUnchanged(diffText(before, after)), [before, after]);
  if (layout === 'one') return <Pieces pieces={pieces} isAlone={pieces.length === 1} />;
  return (
    <div className="grid gap-x-5 gap-y-2 sm:grid-cols-2">
      {(['before', 'after'] as const).map((version) => {
        const other = version === 'before' ? 'added' : 'removed';
        const own = pieces.filter(({ kind }) => kind !== other);
        return (
          <div key={version} className="min-w-0">
            <p className="text-2xs text-ink-3">{t(`compare.${version}`)}</p>
            {own.length === 0 ? (
              <p className="text-sm text-ink-3">{t('compare.nothing')}</p>
            ) : (
              <Pieces pieces={own} isAlone />
            )}
          </div>
        );
      })}
    </div>
  );
}

interface PiecesProps {
  readonly pieces: ReturnType<typeof foldUnchanged>;
  /** True if all changed pieces are of one version, so that the marks need not tell two apart. */
  readonly isAlone: boolean;
}

function Pieces({ pieces, isAlone }: PiecesProps) {
  return (
    <p className="font-serif text-base leading-relaxed [overflow-wrap:anywhere] whitespace-pre-wrap">
      {pieces.map((piece, index) => {
        if (piece.kind === 'folded') return <CollapsedText key={index} text={piece.text} />;
        if (piece.kind === 'same') return <span key={index}>{piece.text}</span>;
        return <ChangedText key={index} kind={piece.kind} text={piece.text} isAlone={isAlone} />;
      })}
    </p>
  );
}

interface ChangedTextProps {
  readonly kind: 'added' | 'removed';
  readonly text: string;
  /** True if the text exists in one version only, so that the marks need not tell two apart. */
  readonly isAlone: boolean;
}

function ChangedText({ kind, text, isAlone }: ChangedTextProps) {
  const Tag = kind === 'added' ? 'ins' : 'del';
  return (
    <Tag
      className={clsx(
        'rounded-xs box-decoration-clone px-0.5',
        kind === 'added' ? 'bg-accent-wash no-underline' : 'bg-red-wash text-ink-2 decoration-red/70',
        kind === 'added' && !isAlone && 'underline decoration-accent/60 decoration-1 underline-offset-3',
      )}
    >
      <span className="sr-only">{t('kindOf', { kind: t(kind) })}</span>
      {text}
    </Tag>
  );
}

function CollapsedText({ text }: { readonly text: string }) {
  const [isShown, setIsShown] = useState(false);
  if (isShown) return <span>{text}</span>;
  return (
    <button
      type="button"
      aria-label={t('unfold', { characters: text.length })}
      title={t('unfold', { characters: text.length })}
      onClick={() => setIsShown(true)}
      className="mx-1 rounded-sm bg-ink/6 px-1.5 font-sans text-xs text-ink-3 hover:text-ink"
    >
      {t('folded')}
    </button>
  );
}
