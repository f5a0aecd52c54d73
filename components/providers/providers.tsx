import clsx from 'clsx';
import { useState } from 'react';
import { toast } from 'sonner';
import { mutate as mutateAny } from 'swr';
import { paths } from '#components/api/paths.ts';
import { providerApi, useProviders } from '#components/providers/provider-requests.ts';
import { ConnectDialog } from '#components/providers/connect-dialog';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { HelpedSection } from '#components/ui/help-section';
import { useOpened } from '#components/ui/hooks.ts';
import { NotLoaded } from '#components/ui/notices';
import { localizedText } from '#components/message-text.ts';
import { TestOutcome, useTest } from '#components/ui/test-outcome';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { ConnectableId } from '#server/core/admin/provider-names';
import type { ProviderReport, ProviderTest } from '#server/core/admin/providers';

const t = translator('providers');

/** Model providers on the settings page. */
export function ProvidersSection() {
  return (
    <HelpedSection name="providers" title={t('title')} body={t('body')}>
      <Providers />
    </HelpedSection>
  );
}

/** Model providers: whether each is connected, and buttons to change that. */
function Providers() {
  const { providers, error, reload } = useProviders();
  const dialog = useOpened<ConnectableId>();
  if (!providers) return <NotLoaded title={t('failed')} error={error} onRetry={() => reload()} />;
  return (
    <>
      <ul className="border-t border-rule">
        {providers.map((provider) => (
          <li key={provider.id}>
            <ProviderRow provider={provider} onConnect={dialog.open} />
          </li>
        ))}
      </ul>
      {dialog.opened && <ConnectDialog initial={dialog.opened.target} onClose={dialog.close} />}
    </>
  );
}

interface ProviderRowProps {
  readonly provider: ProviderReport;
  readonly onConnect: (id: ConnectableId) => void;
}

function ProviderRow({ provider, onConnect }: ProviderRowProps) {
  const { id, configured, source, problem, problemMessage } = provider;
  const test = useTest<ProviderTest>();
  /** True if the provider is configured here and not by the environment. */
  const isConfigurable = id !== 'built-in' && source !== 'environment';
  return (
    <article aria-label={t(`names.${id}.name`)} className="border-b border-rule py-5">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
            {t(`names.${id}.name`)}
            <span className={clsx('text-xs font-normal', configured ? 'text-accent' : 'text-ink-3')}>
              {configured ? (id === 'built-in' ? t('ready') : t('connected')) : t('missing')}
            </span>
          </h3>
          <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{t(`names.${id}.body`)}</p>
          {configured && <Facts provider={provider} />}
          {problem !== null && <p className="mt-2 text-sm text-red">{localizedText(problemMessage, problem)}</p>}
          {source === 'environment' && (
            <p className="mt-2 max-w-[60ch] text-xs text-ink-3">
              {t('fromEnvironment', { variables: provider.variables.join(', ') })}
            </p>
          )}
        </div>
        <div className="flex flex-wrap gap-1">
          {configured && (
            <Button
              variant="ghost"
              aria-label={t('testOf', { name: t(`names.${id}.name`) })}
              isBusy={test.isTesting}
              onClick={() => void test.run(() => providerApi.test(id))}
            >
              {test.isTesting ? t('testing') : t('test')}
            </Button>
          )}
          {isConfigurable && (
            <OwnActions
              id={id}
              name={t(`names.${id}.name`)}
              isConnected={configured || problem !== null}
              onConnect={onConnect}
            />
          )}
        </div>
      </div>
      <TestOutcome
        result={test.result}
        latencyMs={test.result && 'latencyMs' in test.result ? test.result.latencyMs : null}
      >
        {test.result && localizedText(test.result.reason, test.result.message)}
      </TestOutcome>
    </article>
  );
}

interface OwnActionsProps {
  readonly onConnect: (id: ConnectableId) => void;
  readonly id: ConnectableId;
  readonly name: string;
  /** True if the server has stored settings of the provider. */
  readonly isConnected: boolean;
}

/** Buttons for a provider that the environment does not configure. */
function OwnActions({ id, name, isConnected, onConnect }: OwnActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const disconnect = async () => {
    await providerApi.disconnect(id);
    toast(t('disconnected', { name }));
    await Promise.all([mutateAny(paths.engineSettings), mutateAny(paths.models)]);
  };
  if (!isConnected) {
    return (
      <Button className="h-9" aria-label={t('connectOf', { name })} onClick={() => onConnect(id)}>
        {t('connectShort')}
      </Button>
    );
  }
  return (
    <>
      <Button variant="ghost" aria-label={t('changeOf', { name })} onClick={() => onConnect(id)}>
        {t('change')}
      </Button>
      <Button variant="ghost" aria-label={t('disconnectOf', { name })} onClick={() => setIsAsking(true)}>
        {t('disconnect')}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('disconnectTitle', { name })}
        body={t('disconnectBody')}
        confirm={t('disconnect')}
        onConfirm={() => void disconnect().catch(reportFailure)}
      />
    </>
  );
}

function Facts({ provider }: { readonly provider: ProviderReport }) {
  const { id, baseUrl, hasKey, source, models } = provider;
  const key = hasKey ? (source === 'environment' ? t('environmentKey') : t('hasKey')) : t('noKey');
  const facts = [
    ...(baseUrl === null ? [] : [[t('address'), baseUrl]]),
    ...(id === 'built-in' ? [] : [[t('key'), key]]),
    [t('offered'), t('models', { count: models })],
  ];
  return (
    <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-xs">
      {facts.map(([term, value]) => (
        <div key={term} className="contents">
          <dt className="text-ink-3">{term}</dt>
          <dd className="break-all text-ink-2">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
