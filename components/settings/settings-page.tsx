'use client';

import { type ReactNode, useState } from 'react';
import { useMe } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { ApiKeysSection } from '#components/keys/api-keys';
import { ProvidersSection } from '#components/providers/providers';
import { type RenderGroup, SettingsForm } from '#components/settings/form/settings-form';
import { Loaded, ReportLoaded } from '#components/settings/loaded';
import { MailSection } from '#components/settings/mail-section';
import { PeopleSection } from '#components/settings/people';
import { PersonalDataSection } from '#components/settings/personal-data';
import { SitesSection } from '#components/settings/sites/sites-section';
import { StandingSection } from '#components/settings/standing-section';
import { ProcessSection } from '#components/settings/system/process-section';
import {
  BackupSection,
  LogsSection,
  type SystemVersion,
  VersionSection,
} from '#components/settings/system/system-sections';
import { ToolServersSection } from '#components/settings/tool-servers-section';
import { useAnswered } from '#components/ui/hooks.ts';
import type { SettingsPageName } from '#components/workspace/settings-pages.ts';
import { useSites } from '#components/workspace/site-of-page';

interface PageProps {
  /** The running version. */
  readonly about: SystemVersion;
}

/** The content of each page. */
const pages: Readonly<Record<SettingsPageName, (props: PageProps) => ReactNode>> = {
  people: PeoplePage,
  'api-keys': ApiKeysPage,
  models: ModelsPage,
  mail: MailPage,
  assistant: AssistantPage,
  'tool-servers': ToolServersPage,
  site: SitePage,
  system: SystemPage,
};

/** One page of the settings. */
export function SettingsPage({ name, ...props }: PageProps & { readonly name: SettingsPageName }) {
  const Content = pages[name];
  return (
    <div className="max-w-3xl min-w-0">
      <Content {...props} />
    </div>
  );
}

function PeoplePage() {
  const hasPeople = useMe()?.kind === 'user';
  const isLoaded = [useAnswered(paths.me), useAnswered(hasPeople ? paths.people : null)].every(Boolean);
  return (
    <Loaded isLoaded={isLoaded}>
      <PeopleSection />
      <PersonalDataSection />
    </Loaded>
  );
}

function ApiKeysPage() {
  const isLoaded = [useAnswered(paths.me), useAnswered(paths.apiKeys)].every(Boolean);
  return (
    <Loaded isLoaded={isLoaded}>
      <ApiKeysSection />
    </Loaded>
  );
}

function ModelsPage() {
  return (
    <FormPage isLoaded={useAnswered(paths.models)}>
      {(group) => (
        <>
          {group('models')}
          <ProvidersSection />
          {group('programs')}
          {group('budgets')}
        </>
      )}
    </FormPage>
  );
}

function MailPage() {
  const isLoaded = useAnswered(paths.me);
  return <ReportLoaded isLoaded={isLoaded}>{({ process }) => <MailSection settings={process} />}</ReportLoaded>;
}

function AssistantPage() {
  const { data: saved, error, mutate } = useApi(paths.standingInstructions);
  const { currentId } = useSites();
  const [isStandingDirty, setIsStandingDirty] = useState(false);
  const areModelsLoaded = useAnswered(paths.models);
  return (
    <FormPage
      isLoaded={areModelsLoaded && saved !== undefined}
      error={error}
      onRetry={mutate}
      unsavedElsewhere={isStandingDirty ? 1 : 0}
    >
      {(group) => (
        <>
          {saved && (
            <StandingSection
              key={currentId ?? ''}
              saved={saved}
              onSaved={(report) => void mutate(report, { revalidate: false })}
              reload={() => mutate()}
              onDirty={setIsStandingDirty}
            />
          )}
          {group('tools')}
          {group('strategies')}
          {group('limits')}
          {group('steps')}
          {group('pruning')}
        </>
      )}
    </FormPage>
  );
}

function ToolServersPage() {
  return (
    <FormPage isLoaded={useAnswered(paths.toolServers)}>
      {(group) => (
        <>
          <ToolServersSection />
          {group('definitions')}
        </>
      )}
    </FormPage>
  );
}

function SitePage() {
  return (
    <FormPage isLoaded={useAnswered(paths.connectedSites)}>
      {(group) => (
        <>
          <SitesSection />
          {group('visitors')}
        </>
      )}
    </FormPage>
  );
}

function SystemPage({ about }: PageProps) {
  return (
    <ReportLoaded isLoaded>
      {({ process }) => (
        <>
          <VersionSection {...about} />
          <LogsSection settings={process} />
          <BackupSection settings={process} />
          <ProcessSection settings={process} />
        </>
      )}
    </ReportLoaded>
  );
}

interface FormPageProps {
  /** True if everything else on the page has loaded. */
  readonly isLoaded: boolean;
  /** Why something else on the page could not be loaded. */
  readonly error?: Error | undefined;
  /** Loads that again. */
  readonly onRetry?: () => unknown;
  /** Unsaved changes in sections that save on their own. */
  readonly unsavedElsewhere?: number;
  readonly children: (group: RenderGroup) => ReactNode;
}

/** A page with groups of settings, which are saved together. */
function FormPage({ children, unsavedElsewhere = 0, ...loading }: FormPageProps) {
  return (
    <ReportLoaded {...loading}>
      {(report, onSaved) => (
        <SettingsForm report={report} onSaved={onSaved} unsavedElsewhere={unsavedElsewhere}>
          {children}
        </SettingsForm>
      )}
    </ReportLoaded>
  );
}
