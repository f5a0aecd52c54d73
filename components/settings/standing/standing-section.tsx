import clsx from 'clsx';
import { useEffect, useRef } from 'react';
import { Section } from '#components/settings/settings-group';
import { LineField } from '#components/settings/standing/line-field';
import { RowList } from '#components/settings/standing/row-list';
import { StandingBar } from '#components/settings/standing/standing-bar';
import { focusSince } from '#lib/focus/focus-since';
import { newKey } from '#lib/settings/standing-draft';
import { useStandingDraft } from '#lib/settings/use-standing-draft';
import { settingsStrings } from '#lib/strings/settings';
import type { StandingReport } from '#server/core/content';

const say = settingsStrings.standing;

interface StandingSectionProps {
  readonly saved: StandingReport;
  readonly onSaved: (report: StandingReport) => void;
  readonly reload: () => Promise<StandingReport | undefined>;
  /** Whether something here is not saved. */
  readonly onDirty: (isDirty: boolean) => void;
}

/** What the assistant keeps to on this site, in every conversation: voice, words and rules, saved together. */
export function StandingSection({ saved, onSaved, reload, onDirty }: StandingSectionProps) {
  const editor = useStandingDraft(saved, onSaved, reload);
  const { draft, problems, isDirty, change } = editor;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);

  const save = async () => {
    const focus = focusSince();
    const isSaved = await editor.save();
    if (isSaved) return;
    // What is refused is marked with the next rendering.
    setTimeout(() => {
      if (focus.mayMove()) root.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    });
  };

  return (
    <Section name="standing" title={say.title} body={say.body}>
      <div ref={root} className="border-t border-rule">
        {saved.tokens === 0 && !isDirty && (
          <p className="mt-4 rounded-lg bg-accent-wash px-4 py-3 text-sm text-ink">{say.empty}</p>
        )}
        <div className="border-b border-rule py-5">
          <label htmlFor="standing-voice" className="text-base font-medium">
            {say.voice.title}
          </label>
          <p id="standing-voice-effect" className="mt-0.5 max-w-[60ch] text-sm text-ink-2">
            {say.voice.body}
          </p>
          <textarea
            id="standing-voice"
            rows={3}
            placeholder={say.voice.example}
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
          title={say.glossary.title}
          body={say.glossary.body}
          add={say.glossary.add}
          nameOf={say.glossary.row}
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
                  placeholder={say.glossary.termExample}
                  problem={problems[`term-${row.key}`]}
                  onChange={(term) => set({ term })}
                  onEnter={addBelow}
                />
                <LineField
                  id={`standing-meaning-${row.key}`}
                  label={say.glossary.meaningOf(name)}
                  value={row.meaning}
                  placeholder={say.glossary.meaningExample}
                  problem={problems[`meaning-${row.key}`]}
                  onChange={(meaning) => set({ meaning })}
                  onEnter={addBelow}
                />
              </div>
            );
          }}
        </RowList>
        <RowList
          title={say.rules.title}
          body={say.rules.body}
          add={say.rules.add}
          nameOf={say.rules.row}
          rows={draft.rules}
          newRow={() => ({ key: newKey(), text: '' })}
          onChange={(rules) => change({ rules })}
        >
          {(row, name, addBelow) => (
            <LineField
              id={`standing-rule-${row.key}`}
              label={name}
              value={row.text}
              placeholder={say.rules.example}
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
    </Section>
  );
}
