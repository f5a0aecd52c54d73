import clsx from 'clsx';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { SettingRow } from '#components/settings/setting-row';
import { sectionId } from '#components/settings/settings-index';
import { inOrder, isShownFolded } from '#lib/settings/setting-layout';
import type { DraftState } from '#lib/settings/use-settings-draft';
import { settingsStrings } from '#lib/strings/settings';
import type { SettingGroup, SettingReference, SettingsReport } from '#server/core/settings-report';

interface SettingsGroupProps {
  readonly group: SettingGroup;
  readonly report: SettingsReport;
  /** Of this group, as far as they are looked for. */
  readonly settings: readonly SettingReference[];
  readonly draft: DraftState;
  /** Everything that was found is shown. */
  readonly isSearching: boolean;
  /** What belongs under the group. */
  readonly children?: ReactNode;
}

/** Settings that belong together; the finer ones are folded away until they are asked for. */
export function SettingsGroup({ group, report, settings, draft, isSearching, children }: SettingsGroupProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (settings.length === 0) return null;
  const { title, body } = settingsStrings.groups[group];
  const marked = [...draft.changed, ...Object.keys(draft.problems)];
  const strategy = draft.valueOf('strategy');
  const folded = settings.filter((setting) => !isShownFolded(report, setting, strategy, marked));
  const shown = isOpen || isSearching ? settings : settings.filter((setting) => !folded.includes(setting));
  return (
    <>
      <Section name={group} title={title} body={body}>
        <div className="border-t border-rule">
          {inOrder(shown).map((setting) => (
            <SettingRow key={setting.name} setting={setting} report={report} draft={draft} />
          ))}
        </div>
        {folded.length > 0 && !isSearching && (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            className="mt-3 flex items-center gap-1.5 rounded-md text-sm font-medium text-ink-2 hover:text-ink"
          >
            <ChevronDown aria-hidden className={clsx('size-4 transition-transform', isOpen && 'rotate-180')} />
            {isOpen ? settingsStrings.fewer : settingsStrings.more(folded.length)}
          </button>
        )}
      </Section>
      {children}
    </>
  );
}

interface SectionProps {
  readonly name: string;
  readonly title: string;
  readonly body: string;
  readonly children: ReactNode;
}

/** A part of the page, with its heading. */
export function Section({ name, title, body, children }: SectionProps) {
  return (
    <section
      id={sectionId(name)}
      aria-labelledby={`${sectionId(name)}-title`}
      className="scroll-mt-20 pb-14 max-lg:pt-2"
    >
      <h2 id={`${sectionId(name)}-title`} className="font-serif text-xl font-medium tracking-[-0.01em]">
        {title}
      </h2>
      <p className="mt-0.5 mb-4 max-w-[62ch] text-sm text-ink-2">{body}</p>
      {children}
    </section>
  );
}
