import { translator } from '#components/i18n.ts';
import clsx from 'clsx';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { HelpedSection } from '#components/ui/help-section';
import { moved, newKey } from '#components/settings/standing-draft.ts';
import { StandingBar } from '#components/settings/standing-bar';
import { useStandingDraft } from '#components/settings/use-standing-draft.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { focusSince } from '#components/ui/focus/focus.ts';
import { isComposing } from '#components/ui/keys.ts';
import type { StandingReport } from '#server/core/site/standing-instructions';

const texts = translator('settings.standing');

/** Stored instructions for the assistant, and how to save them. */
export interface StoredStanding {
  readonly saved: StandingReport;
  readonly onSaved: (report: StandingReport) => void;
  readonly reload: () => Promise<StandingReport | undefined>;
}

interface StandingSectionProps extends StoredStanding {
  /** Reports unsaved changes. */
  readonly onDirty: (isDirty: boolean) => void;
}

/** Voice, vocabulary and rules of this site, saved together. */
export function StandingSection({ saved, onSaved, reload, onDirty }: StandingSectionProps) {
  const editor = useStandingDraft(saved, onSaved, reload);
  const { draft, problems, isDirty, change } = editor;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);

  const save = async () => {
    const focus = focusSince();
    const isSaved = await editor.save();
    if (isSaved) return;
    // The next render marks refused fields.
    setTimeout(() => {
      if (focus.mayMove()) root.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    });
  };

  return (
    <HelpedSection name="standing" title={texts('title')} body={texts('body')}>
      <div ref={root} className="border-t border-rule">
        {saved.tokens === 0 && !isDirty && (
          <p className="mt-4 rounded-lg bg-accent-wash px-4 py-3 text-sm text-ink">{texts('empty')}</p>
        )}
        <div className="border-b border-rule py-5">
          <label htmlFor="standing-voice" className="text-base font-medium">
            {texts('voice.title')}
          </label>
          <p id="standing-voice-effect" className="mt-0.5 max-w-[60ch] text-sm text-ink-2">
            {texts('voice.body')}
          </p>
          <textarea
            id="standing-voice"
            rows={3}
            placeholder={texts('voice.example')}
            aria-describedby="standing-voice-effect standing-voice-problem"
            aria-invalid={'voice' in problems}
            value={draft.voice}
            onChange={(event) => change({ voice: event.target.value })}
            className={clsx(
              'mt-3 block w-full resize-y rounded-md border bg-sheet px-3 py-2 text-base field-sizing-content outline-none',
              'placeholder:text-ink-3 hover:border-ink-3 focus-visible:ring-2 focus-visible:ring-accent',
              'voice' in problems ? 'border-red' : 'border-rule-strong',
            )}
          />
          <p id="standing-voice-problem" role="alert" className="mt-1 text-sm text-red empty:hidden">
            {problems['voice']}
          </p>
        </div>
        <RowList
          title={texts('glossary.title')}
          body={texts('glossary.body')}
          add={texts('glossary.add')}
          nameOf={(place) => texts('glossary.row', { place })}
          rows={draft.glossary}
          newRow={() => ({ key: newKey(), term: '', meaning: '' })}
          onChange={(glossary) => change({ glossary })}
        >
          {(row, name, addBelow) => {
            const set = (part: object) =>
              change({
                glossary: draft.glossary.map((other) => (other.key === row.key ? { ...other, ...part } : other)),
              });
            return (
              <div className="grid gap-1 sm:grid-cols-[minmax(0,2fr)_minmax(0,5fr)] sm:gap-2">
                <LineField
                  id={`standing-term-${row.key}`}
                  label={name}
                  value={row.term}
                  placeholder={texts('glossary.termExample')}
                  problem={problems[`term-${row.key}`]}
                  onChange={(term) => set({ term })}
                  onEnter={addBelow}
                />
                <LineField
                  id={`standing-meaning-${row.key}`}
                  label={texts('glossary.meaningOf', { name })}
                  value={row.meaning}
                  placeholder={texts('glossary.meaningExample')}
                  problem={problems[`meaning-${row.key}`]}
                  onChange={(meaning) => set({ meaning })}
                  onEnter={addBelow}
                />
              </div>
            );
          }}
        </RowList>
        <RowList
          title={texts('rules.title')}
          body={texts('rules.body')}
          add={texts('rules.add')}
          nameOf={(place) => texts('rules.row', { place })}
          rows={draft.rules}
          newRow={() => ({ key: newKey(), text: '' })}
          onChange={(rules) => change({ rules })}
        >
          {(row, name, addBelow) => (
            <LineField
              id={`standing-rule-${row.key}`}
              label={name}
              value={row.text}
              placeholder={texts('rules.example')}
              problem={problems[`rule-${row.key}`]}
              onChange={(text) =>
                change({ rules: draft.rules.map((other) => (other.key === row.key ? { ...other, text } : other)) })
              }
              onEnter={addBelow}
            />
          )}
        </RowList>
        <StandingBar saved={saved} editor={editor} onSave={() => void save()} />
      </div>
    </HelpedSection>
  );
}

interface RowListProps<Row> {
  readonly title: string;
  readonly body: string;
  readonly add: string;
  /** Name of a row, by its number from 1. */
  readonly nameOf: (place: number) => string;
  readonly rows: readonly Row[];
  readonly newRow: () => Row;
  readonly onChange: (rows: readonly Row[]) => void;
  /** Renders the fields of a row; `addBelow` handles Enter. */
  readonly children: (row: Row, name: string, addBelow: () => void) => ReactNode;
}

/** Rows to add, edit, reorder and remove, by mouse and keyboard. */
function RowList<Row extends { readonly key: number }>(props: RowListProps<Row>) {
  const { title, body, add, nameOf, rows, newRow, onChange, children } = props;
  const id = useId();

  const focusRow = (key: number | undefined, selector: string) =>
    requestAnimationFrame(() => {
      const row = document.getElementById(`${id}-${key}`);
      (row?.querySelector<HTMLElement>(selector) ?? document.getElementById(`${id}-add`))?.focus();
    });
  const addAt = (index: number) => {
    const row = newRow();
    onChange(rows.toSpliced(index, 0, row));
    focusRow(row.key, 'textarea');
  };
  const remove = (index: number) => {
    const left = rows.toSpliced(index, 1);
    onChange(left);
    focusRow(left[Math.min(index, left.length - 1)]?.key, 'button:last-child');
  };
  const move = (key: number, by: -1 | 1) => {
    onChange(moved(rows, key, by));
    focusRow(key, by < 0 ? 'span > button:first-child' : 'span > button:nth-child(2)');
  };

  return (
    <fieldset aria-labelledby={id} className="min-w-0 border-b border-rule py-5">
      <p id={id} className="text-base font-medium">
        {title}
      </p>
      <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{body}</p>
      <ul className="mt-3 flex flex-col gap-2">
        {rows.map((row, index) => {
          const name = nameOf(index + 1);
          return (
            <li key={row.key} id={`${id}-${row.key}`} className="flex items-start gap-1">
              <div className="min-w-0 flex-1">{children(row, name, () => addAt(index + 1))}</div>
              <RowActions
                name={name}
                isFirst={index === 0}
                isLast={index === rows.length - 1}
                onMove={(by) => move(row.key, by)}
                onRemove={() => remove(index)}
              />
            </li>
          );
        })}
      </ul>
      <Button id={`${id}-add`} className={rows.length > 0 ? 'mt-3' : 'mt-1'} onClick={() => addAt(rows.length)}>
        <Plus aria-hidden className="size-4" />
        {add}
      </Button>
    </fieldset>
  );
}

interface RowActionsProps {
  /** Name of the row: `Rule 2`. */
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** Buttons to move or remove a row. */
function RowActions({ name, isFirst, isLast, onMove, onRemove }: RowActionsProps) {
  return (
    <span className="flex shrink-0">
      <IconButton
        label={texts('up', { name })}
        icon={<ArrowUp aria-hidden />}
        aria-disabled={isFirst}
        className="aria-disabled:opacity-35"
        onClick={() => !isFirst && onMove(-1)}
      />
      <IconButton
        label={texts('down', { name })}
        icon={<ArrowDown aria-hidden />}
        aria-disabled={isLast}
        className="aria-disabled:opacity-35"
        onClick={() => !isLast && onMove(1)}
      />
      <IconButton label={texts('remove', { name })} icon={<X aria-hidden />} onClick={onRemove} />
    </span>
  );
}

interface LineFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
  /** Called on Enter, because the text is a single line. */
  readonly onEnter: () => void;
}

/** Single-line text field that shows its complete text, however long. */
function LineField({ id, label, value, problem, onChange, onEnter, ...rest }: LineFieldProps) {
  return (
    <div className="min-w-0">
      <textarea
        id={id}
        rows={1}
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        value={value}
        onChange={(event) => onChange(event.target.value.replaceAll(/\s*\n\s*/g, ' '))}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || isComposing(event)) return;
          event.preventDefault();
          onEnter();
        }}
        className={clsx(
          'block min-h-9 w-full resize-none rounded-md border bg-sheet px-3 py-1.5 text-base field-sizing-content outline-none',
          'placeholder:text-ink-3 hover:border-ink-3 focus-visible:ring-2 focus-visible:ring-accent',
          problem === undefined ? 'border-rule-strong' : 'border-red',
        )}
        {...rest}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-sm text-red">
          {problem}
        </p>
      )}
    </div>
  );
}
