'use client';

import { type ComponentProps, useRef, useState } from 'react';
import { PeopleSection } from '#components/access/people/people-section';
import { ApiKeysSection } from '#components/settings/api-keys-section';
import { ProcessSection } from '#components/settings/process-section';
import { ProvidersSection } from '#components/settings/providers-section';
import { SaveBar } from '#components/settings/save-bar';
import { SettingsGroup } from '#components/settings/settings-group';
import { ToolServersSection } from '#components/settings/mcp/tool-servers-section';
import { SettingsIndex } from '#components/settings/settings-index';
import { SitesSection } from '#components/settings/sites/sites-section';
import { StandingSection } from '#components/settings/standing/standing-section';
import { ConfirmDialog } from '#components/ui/confirm-dialog';
import { Notice } from '#components/ui/notice';
import { SearchField } from '#components/ui/search-field';
import { focusSince } from '#lib/focus/focus-since';
import { matchingSettings } from '#lib/settings/setting-text';
import { useSettingsDraft } from '#lib/settings/use-settings-draft';
import { useUnsavedGuard } from '#lib/settings/use-unsaved-guard';
import { settingsStrings } from '#lib/strings/settings';
import type { SettingGroup, SettingsReport } from '#server/core/settings-report';

interface SettingsFormProps {
  /** Which site the standing instructions are of. */
  readonly siteId: string;
  readonly standing: Omit<ComponentProps<typeof StandingSection>, 'onDirty'>;
  readonly report: SettingsReport;
  readonly onSaved: (report: SettingsReport) => void;
}

const groupNames = Object.keys(settingsStrings.groups) as SettingGroup[];

/** All settings, to find, change and save together. */
export function SettingsForm({ report, onSaved, siteId, standing }: SettingsFormProps) {
  const draft = useSettingsDraft(report, onSaved);
  const [isStandingDirty, setIsStandingDirty] = useState(false);
  const [isSwitching, setIsSwitching] = useState(false);
  const unsaved = draft.changed.length + (isStandingDirty ? 1 : 0);
  const guard = useUnsavedGuard(unsaved > 0);
  const [query, setQuery] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const isSearching = query.trim() !== '';
  const found = matchingSettings(report, query);

  const focusProblem = () => {
    const row = form.current?.querySelector('[data-invalid="true"]');
    row?.querySelector<HTMLElement>(':is(input, button)[aria-invalid="true"], :is(input, button, select)')?.focus();
  };
  const focusForm = () => form.current?.focus({ preventScroll: true });
  const save = async () => {
    const focus = focusSince();
    const isSaved = await draft.save();
    // What is refused is marked, and the bar with the button is gone, with the next rendering.
    setTimeout(() => {
      if (!focus.mayMove()) return;
      if (!isSaved) focusProblem();
      else if (!document.activeElement?.matches('input')) focusForm();
    });
  };

  return (
    <form
      ref={form}
      noValidate
      tabIndex={-1}
      aria-label={settingsStrings.title}
      className="outline-none mt-8 grid gap-x-12 lg:grid-cols-[12.5rem_minmax(0,1fr)]"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <aside className="lg:sticky lg:top-20 lg:max-h-[calc(100dvh-6rem)] lg:self-start lg:overflow-y-auto lg:pb-4">
        <SearchField
          label={settingsStrings.search}
          value={query}
          onChange={setQuery}
          // Enter in a search field must not save the form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        <output aria-live="polite" className="mt-1 block min-h-5 text-xs text-ink-3">
          {isSearching ? settingsStrings.matches(found.length) : ''}
        </output>
        {!isSearching && (
          <SettingsIndex report={report} changed={draft.changed} unsaved={isStandingDirty ? ['standing'] : []} />
        )}
      </aside>
      <div className="max-w-3xl min-w-0">
        {/* What is written there stays while something is searched for. */}
        <div hidden={isSearching}>
          <SitesSection isUnsaved={isStandingDirty} onSwitching={setIsSwitching} />
          <div inert={isSwitching}>
            <StandingSection key={siteId} {...standing} onDirty={setIsStandingDirty} />
          </div>
        </div>
        {groupNames.map((group) => (
          <SettingsGroup
            key={group}
            group={group}
            report={report}
            settings={found.filter((setting) => setting.group === group)}
            draft={draft}
            isSearching={isSearching}
          >
            {group === 'models' && !isSearching && <ProvidersSection providers={report.providers} />}
            {group === 'tools' && !isSearching && <ToolServersSection />}
          </SettingsGroup>
        ))}
        {!isSearching && <PeopleSection />}
        {!isSearching && <ApiKeysSection />}
        {!isSearching && <ProcessSection settings={report.process} />}
        {isSearching && found.length === 0 && (
          <Notice
            title={settingsStrings.noMatch(query.trim())}
            action={{ label: settingsStrings.clearSearch, run: () => setQuery('') }}
          />
        )}
        <SaveBar
          draft={draft}
          onShowProblem={focusProblem}
          onDiscard={() => {
            draft.discard();
            focusForm();
          }}
        />
      </div>
      <ConfirmDialog
        open={guard.isAsking}
        onOpenChange={(open) => !open && guard.stay()}
        title={settingsStrings.leave.title}
        body={settingsStrings.leave.body(unsaved)}
        confirm={settingsStrings.leave.leave}
        onConfirm={() => guard.leave()}
      />
    </form>
  );
}
