import { translator } from '#components/i18n.ts';
import clsx from 'clsx';
import { ChevronDown, RotateCcw, Undo2 } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { DraftState } from '#components/settings/form/setting-draft.ts';
import { rangeText, unitName } from '#components/settings/form/number-text.ts';
import { defaultText, labelOf, meaningOf } from '#components/settings/form/setting-text.ts';
import { SettingInputField } from '#components/settings/form/setting-input-field';
import { HelpedSection } from '#components/ui/help-section';
import { LocalWindows } from '#components/settings/form/local-windows';
import { useTargetId } from '#components/settings/form/settings-target.ts';
import { settingId } from '#components/workspace/settings-pages.ts';
import type { SettingGroup, SettingReference, SettingSource, SettingsReport } from '#server/core/admin/settings-report';

const t = translator('settings');

interface SettingsGroupProps {
  readonly group: SettingGroup;
  readonly report: SettingsReport;
  readonly draft: DraftState;
}

/** A group of settings; the less important ones are hidden until requested. */
export function SettingsGroup({ group, report, draft }: SettingsGroupProps) {
  const [isOpen, setIsOpen] = useState(false);
  const targetId = useTargetId();
  const settings = report.reference.filter((setting) => setting.group === group);
  const changedOrWrong = [...draft.changed, ...Object.keys(draft.problems)];
  const strategy = draft.valueOf('strategy');
  const hidden = settings.filter((setting) => !isShownCollapsed(report, setting, strategy, changedOrWrong));
  if (!isOpen && hidden.some(({ name }) => settingId(name) === targetId)) setIsOpen(true);
  const shown = isOpen ? settings : settings.filter((setting) => !hidden.includes(setting));
  return (
    <HelpedSection name={group} title={t(`groups.${group}.title`)} body={t(`groups.${group}.body`)}>
      <div className="border-t border-rule">
        {shown.map((setting) => (
          <SettingRow key={setting.name} setting={setting} report={report} draft={draft} />
        ))}
      </div>
      {hidden.length > 0 && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="mt-3 flex items-center gap-1.5 rounded-md text-sm font-medium text-ink-2 hover:text-ink"
        >
          <ChevronDown aria-hidden className={clsx('size-4 transition-transform', isOpen && 'rotate-180')} />
          {isOpen ? t('fewer') : t('more', { count: hidden.length })}
        </button>
      )}
    </HelpedSection>
  );
}

interface SettingRowProps {
  readonly setting: SettingReference;
  readonly report: SettingsReport;
  readonly draft: DraftState;
}

/** Kinds of settings whose field needs the full width. */
const wideKinds = new Set(['choice', 'numbers', 'choices', 'origins', 'programs']);

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
      id={settingId(name)}
      aria-labelledby={`${id}-label`}
      aria-describedby={isWide ? describedBy : undefined}
      data-invalid={problem !== undefined}
      className={clsx(
        'relative grid scroll-mt-20 gap-x-8 gap-y-3 border-b border-rule py-5',
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
  const { input, unit, variable } = setting;
  const range =
    input.kind === 'number' || input.kind === 'numbers'
      ? [t('range', { range: `${rangeText({ whole: true, ...input })} ${unitName(input.displayUnit, unit)}` })]
      : [];
  const facts = [...range, defaultText(setting)].join(' · ');
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
  if (isChanged) return <span className="font-medium text-amber">{t('sources.changed')}</span>;
  return <span className={marks[source]}>{t(`sources.${source}`)}</span>;
}

/** Button that drops an unsaved change, or the stored value. */
function ResetButton({ setting, report, draft }: SettingRowProps) {
  const { name } = setting;
  const label = labelOf(setting);
  if (draft.changed.includes(name)) {
    return (
      <SmallButton
        icon={<Undo2 aria-hidden />}
        text={t('undo')}
        label={t('resetLabel', { label, action: 'undo' })}
        onClick={() => draft.restore(name)}
      />
    );
  }
  if (report.sources[name] !== 'stored') return null;
  const { default: standard } = setting;
  const base = report.base[name]!;
  const isDefault =
    typeof base === 'object' ? Object.keys(base).length === 0 && standard === '' : String(base) === standard;
  const action = isDefault ? 'default' : 'env';
  return (
    <SmallButton
      icon={<RotateCcw aria-hidden />}
      text={t(`resetTo.${action}`)}
      label={t('resetLabel', { label, action })}
      onClick={() => draft.change(name, null)}
    />
  );
}

interface SmallButtonProps {
  readonly icon: ReactNode;
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
 * True if a setting is visible while its group is collapsed: one that has an effect with the current strategy, and those
 * that differ from the default.
 * @param strategy the current strategy
 * @param changed names of settings with unsaved changes or problems
 */
function isShownCollapsed(
  report: SettingsReport,
  { name, strategy: own }: SettingReference,
  strategy: unknown,
  changed: readonly string[],
): boolean {
  return own === null || own === strategy || report.sources[name] !== 'default' || changed.includes(name);
}
