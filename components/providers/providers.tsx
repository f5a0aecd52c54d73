import clsx from 'clsx';
import { useState } from 'react';
import { toast } from 'sonner';
import { mutate as mutateAny } from 'swr';
import { paths } from '#components/api/paths.ts';
import { providerApi, useProviders } from '#components/providers/provider-requests.ts';
import { ConnectDialog } from '#components/providers/connect-dialog';
import { providerStrings } from '#components/providers/words.ts';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { useOpened } from '#components/ui/hooks.ts';
import { NotLoaded } from '#components/ui/notices';
import { TestOutcome, useTest } from '#components/ui/test-outcome';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { ConnectableId } from '#server/core/admin/provider-names';
import type { ProviderReport, ProviderTest } from '#server/core/admin/providers';

const texts = providerStrings;

/** Model providers: whether each is connected, and buttons to change that. */
export function Providers() {
  const { providers, error, reload } = useProviders();
  const dialog = useOpened<ConnectableId>();
  if (!providers) return <NotLoaded title={texts.failed} error={error} onRetry={() => reload()} />;
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
  const { id, configured, source, problem } = provider;
  const { name, body } = texts.names[id];
  const test = useTest<ProviderTest>();
  /** True if the provider is configured here and not by the environment. */
  const isConfigurable = id !== 'built-in' && source !== 'environment';
  return (
    <article aria-label={name} className="border-b border-rule py-5">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
            {name}
            <span className={clsx('text-xs font-normal', configured ? 'text-accent' : 'text-ink-3')}>
              {configured ? (id === 'built-in' ? texts.ready : texts.connected) : texts.missing}
            </span>
          </h3>
          <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{body}</p>
          {configured && <Facts provider={provider} />}
          {problem !== null && <p className="mt-2 text-sm text-red">{problem}</p>}
          {source === 'environment' && (
            <p className="mt-2 max-w-[60ch] text-xs text-ink-3">{texts.fromEnvironment(provider.variables)}</p>
          )}
        </div>
        <div className="flex flex-wrap gap-1">
          {configured && (
            <Button
              variant="ghost"
              aria-label={texts.testOf(name)}
              isBusy={test.isTesting}
              onClick={() => void test.run(() => providerApi.test(id))}
            >
              {test.isTesting ? texts.testing : texts.test}
            </Button>
          )}
          {isConfigurable && (
            <OwnActions id={id} name={name} isConnected={configured || problem !== null} onConnect={onConnect} />
          )}
        </div>
      </div>
      <TestOutcome
        result={test.result}
        latencyMs={test.result && 'latencyMs' in test.result ? test.result.latencyMs : null}
      >
        {test.result?.message}
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
    toast(texts.disconnected(name));
    await Promise.all([mutateAny(paths.engineSettings), mutateAny(paths.models)]);
  };
  if (!isConnected) {
    return (
      <Button className="h-9" aria-label={texts.connectOf(name)} onClick={() => onConnect(id)}>
        {texts.connectShort}
      </Button>
    );
  }
  return (
    <>
      <Button variant="ghost" aria-label={texts.changeOf(name)} onClick={() => onConnect(id)}>
        {texts.change}
      </Button>
      <Button variant="ghost" aria-label={texts.disconnectOf(name)} onClick={() => setIsAsking(true)}>
        {texts.disconnect}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={texts.disconnectTitle(name)}
        body={texts.disconnectBody}
        confirm={texts.disconnect}
        onConfirm={() => void disconnect().catch(reportFailure)}
      />
    </>
  );
}

function Facts({ provider }: { readonly provider: ProviderReport }) {
  const { id, baseUrl, hasKey, source, models } = provider;
  const key = hasKey ? (source === 'environment' ? texts.environmentKey : texts.hasKey) : texts.noKey;
  const facts = [
    ...(baseUrl === null ? [] : [[texts.address, baseUrl]]),
    ...(id === 'built-in' ? [] : [[texts.key, key]]),
    [texts.offered, texts.models(models)],
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
