import clsx from 'clsx';
import { ChevronDown, RotateCcw, Undo2 } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { inYourWords } from '#components/served-words.ts';
import type { DraftState } from '#components/settings/setting-draft.ts';
import { defaultText, labelOf, meaningOf } from '#components/settings/setting-text.ts';
import { SettingInputField } from '#components/settings/setting-input-field';
import { HelpedSection } from '#components/ui/help-section';
import { LocalWindows } from '#components/settings/local-windows';
import { settingsStrings } from '#components/settings/words.ts';
import type { SettingGroup, SettingReference, SettingSource, SettingsReport } from '#server/core/admin/settings-report';

interface SettingsGroupProps {
  readonly group: SettingGroup;
  readonly report: SettingsReport;
  /** Settings of this group that match the search. */
  readonly settings: readonly SettingReference[];
  readonly draft: DraftState;
  /** True during a search: all matches are shown. */
  readonly isSearching: boolean;
  /** Content below the settings. */
  readonly children?: ReactNode;
}

/** A group of settings; the less important ones are hidden until requested. */
export function SettingsGroup({ group, report, settings, draft, isSearching, children }: SettingsGroupProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (settings.length === 0) return null;
  const { title, body } = settingsStrings.groups[group];
  const changedOrWrong = [...draft.changed, ...Object.keys(draft.problems)];
  const strategy = draft.valueOf('strategy');
  const hidden = settings.filter((setting) => !isShownCollapsed(report, setting, strategy, changedOrWrong));
  const shown = isOpen || isSearching ? settings : settings.filter((setting) => !hidden.includes(setting));
  return (
    <>
      <HelpedSection name={group} title={title} body={body}>
        <div className="border-t border-rule">
          {inOrder(shown).map((setting) => (
            <SettingRow key={setting.name} setting={setting} report={report} draft={draft} />
          ))}
        </div>
        {hidden.length > 0 && !isSearching && (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            className="mt-3 flex items-center gap-1.5 rounded-md text-sm font-medium text-ink-2 hover:text-ink"
          >
            <ChevronDown aria-hidden className={clsx('size-4 transition-transform', isOpen && 'rotate-180')} />
            {isOpen ? settingsStrings.fewer : settingsStrings.more(hidden.length)}
          </button>
        )}
      </HelpedSection>
      {children}
    </>
  );
}

interface SettingRowProps {
  readonly setting: SettingReference;
  readonly report: SettingsReport;
  readonly draft: DraftState;
}

/** Kinds of settings whose field needs the full width. */
const wideKinds = new Set(['choice', 'numbers', 'choices', 'origins']);

/** One setting: label, description, field, source of its value, and reset. */
function SettingRow({ setting, report, draft }: SettingRowProps) {
  const id = useId();
  const { name, input } = setting;
  const isChanged = draft.changed.includes(name);
  const problem = draft.problems[name];
  const isWide = wideKinds.has(input.kind);
  const parts = problem === undefined ? ['effect', 'facts'] : ['effect', 'facts', 'problem'];
  const describedBy = parts.map((part) => `${id}-${part}`).join(' ');
  return (
    <fieldset
      aria-labelledby={`${id}-label`}
      aria-describedby={isWide ? describedBy : undefined}
      data-invalid={problem !== undefined}
      className={clsx(
        'relative grid gap-x-8 gap-y-3 border-b border-rule py-5',
        !isWide && 'sm:grid-cols-[minmax(0,1fr)_15rem]',
      )}
    >
      {isChanged && <span aria-hidden className="absolute inset-y-4 -left-4 w-[3px] rounded-full bg-amber" />}
      <div className="min-w-0">
        {/* Not a `label`, which would choose the first of several options. */}
        {isWide ? (
          <p id={`${id}-label`} className="text-base font-medium">
            {labelOf(setting)}
          </p>
        ) : (
          <label id={`${id}-label`} htmlFor={`${id}-field`} className="text-base font-medium">
            {labelOf(setting)}
          </label>
        )}
        <p id={`${id}-effect`} className="mt-0.5 max-w-[60ch] text-sm text-ink-2">
          {meaningOf(setting)}
        </p>
        {!isWide && <Facts setting={setting} id={`${id}-facts`} />}
      </div>
      <div className={clsx('min-w-0', !isWide && 'sm:pt-0.5')}>
        <SettingInputField
          setting={setting}
          id={`${id}-field`}
          labelId={`${id}-label`}
          describedBy={describedBy}
          isInvalid={problem !== undefined}
          value={draft.valueOf(name)}
          tools={report.tools}
          onChange={(value) => draft.change(name, value)}
        />
        {problem !== undefined && (
          <p id={`${id}-problem`} role="alert" className="mt-1.5 text-sm text-red">
            {problem}
          </p>
        )}
        <div className="mt-1.5 flex min-h-6 flex-wrap items-center gap-x-3 gap-y-1 text-xs">
          <SourceMark source={report.sources[name]!} isChanged={isChanged} />
          <ResetButton setting={setting} report={report} draft={draft} />
        </div>
        {isWide && <Facts setting={setting} id={`${id}-facts`} />}
        {name === 'modelWindowOverrides' && <LocalWindows />}
      </div>
    </fieldset>
  );
}

/** Range, default and environment variable. */
function Facts({ setting, id }: { readonly setting: SettingReference; readonly id: string }) {
  const { input, range, variable } = setting;
  const hasRange = input.kind === 'number' || input.kind === 'numbers';
  const facts = [...(hasRange ? [settingsStrings.range(inYourWords(range))] : []), defaultText(setting)].join(' · ');
  return (
    <p id={id} className="mt-1.5 text-xs text-ink-3">
      {facts.charAt(0).toUpperCase() + facts.slice(1)} ·{' '}
      <code className="inline-block max-w-full font-mono text-2xs break-all">{variable}</code>
    </p>
  );
}

const marks: Record<SettingSource, string> = {
  default: 'text-ink-3',
  env: 'text-ink-2',
  stored: 'text-accent font-medium',
};

function SourceMark({ source, isChanged }: { readonly source: SettingSource; readonly isChanged: boolean }) {
  if (isChanged) return <span className="font-medium text-amber">{settingsStrings.sources.changed}</span>;
  return <span className={marks[source]}>{settingsStrings.sources[source]}</span>;
}

/** Button that drops an unsaved change, or the stored value. */
function ResetButton({ setting, report, draft }: SettingRowProps) {
  const { name } = setting;
  const label = labelOf(setting);
  if (draft.changed.includes(name)) {
    return (
      <SmallButton
        icon={<Undo2 aria-hidden />}
        text={settingsStrings.undo}
        label={settingsStrings.resetLabel(label, settingsStrings.undo)}
        onClick={() => draft.restore(name)}
      />
    );
  }
  if (report.sources[name] !== 'stored') return null;
  const { default: standard } = setting;
  const base = report.base[name]!;
  const isDefault =
    typeof base === 'object' ? Object.keys(base).length === 0 && standard === '' : String(base) === standard;
  const text = settingsStrings.resetTo[isDefault ? 'default' : 'env'];
  return (
    <SmallButton
      icon={<RotateCcw aria-hidden />}
      text={text}
      label={settingsStrings.resetLabel(label, text)}
      onClick={() => draft.change(name, null)}
    />
  );
}

interface SmallButtonProps {
  readonly icon: React.ReactNode;
  readonly text: string;
  readonly label: string;
  readonly onClick: () => void;
}

function SmallButton({ icon, text, label, onClick }: SmallButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="flex items-center gap-1 rounded px-1 py-0.5 text-ink-2 underline-offset-2 hover:text-ink hover:underline [&_svg]:size-3"
    >
      {icon}
      {text}
    </button>
  );
}

/**
 * Settings that most administrators look for, in display order; the rest of a group is one click away. A new setting is
 * hidden unless it is added here.
 */
const mainSettings: ReadonlySet<string> = new Set([
  'defaultModel',
  'compactionModel',
  'pictureModel',
  'modelWindowOverrides',
  'shareLocalModels',
  'localParallelRequests',
  'monthBudget',
  'personBudget',
  'conversationBudget',
  'strategy',
  'autoCompact',
  'backgroundSummaries',
  'outputReserve',
  'toolPolicies',
  'toolBulkLimit',
  'toolDefinitionsLimit',
  'toolExecution',
  'toolTimeoutMs',
  'toolOutputLimit',
  'toolMaxOutputChars',
  'toolOutputChars',
  'maxSteps',
  'turnTimeLimitMs',
  'pruneProtect',
  'pruneMinimum',
  'minTurnsToKeep',
  'maxContextTokens',
  'siteAliases',
]);

/**
 * Settings of one strategy, shown without a click only if the strategy is chosen, because they have no effect
 * otherwise.
 */
const ofStrategy: Readonly<Record<string, RegExp>> = {
  'proactive-threshold': /^proactive/,
  'middle-removal': /^middleRemoval/,
  'pruning-agent': /^pruningAgent/,
};

/**
 * True if a setting is visible while its group is collapsed: the main settings, those of the current strategy, and
 * those that differ from the default.
 * @param strategy the current strategy
 * @param changed names of settings with unsaved changes or problems
 */
export function isShownCollapsed(
  report: SettingsReport,
  { name }: SettingReference,
  strategy: unknown,
  changed: readonly string[],
): boolean {
  return (
    mainSettings.has(name) ||
    report.sources[name] !== 'default' ||
    changed.includes(name) ||
    ofStrategy[String(strategy)]?.test(name) === true
  );
}

/** Display order: the main settings first, then the server's order. */
export function inOrder(settings: readonly SettingReference[]): SettingReference[] {
  const order = [...mainSettings];
  const rank = ({ name }: SettingReference) => (mainSettings.has(name) ? order.indexOf(name) : order.length);
  return settings.toSorted((one, other) => rank(one) - rank(other));
}
