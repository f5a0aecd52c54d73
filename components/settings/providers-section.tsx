import clsx from 'clsx';
import { api } from '#components/api/api-client';
import { Section } from '#components/settings/settings-group';
import { TestOutcome, useTest } from '#components/settings/use-test';
import { settingsStrings } from '#components/settings/words';
import { Button } from '#components/ui/buttons';
import type { ProviderReport, ProviderTest } from '#server/core/settings-report';

/** Model providers and whether they can be reached. */
export function ProvidersSection({ providers }: { readonly providers: readonly ProviderReport[] }) {
  return (
    <Section name="providers" title={settingsStrings.providers.title} body={settingsStrings.providers.body}>
      <ul className="border-t border-rule">
        {providers.map((provider) => (
          <li key={provider.id}>
            <ProviderRow provider={provider} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function ProviderRow({ provider }: { readonly provider: ProviderReport }) {
  const { name, body } = settingsStrings.providers.names[provider.id];
  const { isTesting, result, run } = useTest<ProviderTest>();

  return (
    <article aria-label={name} className="border-b border-rule py-5">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
            {name}
            <State provider={provider} />
          </h3>
          <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{body}</p>
          <Facts provider={provider} />
        </div>
        <Button
          className="h-9"
          aria-label={settingsStrings.providers.testOf(name)}
          disabled={!provider.configured || isTesting}
          onClick={() => void run(() => api.testProvider(provider.id))}
        >
          {isTesting ? settingsStrings.providers.testing : settingsStrings.providers.test}
        </Button>
      </div>
      <TestOutcome result={result} latencyMs={result && 'latencyMs' in result ? result.latencyMs : null}>
        {result?.message}
      </TestOutcome>
    </article>
  );
}

function State({ provider: { id, configured } }: { readonly provider: ProviderReport }) {
  const { ready, configured: isConfigured, missing } = settingsStrings.providers;
  return (
    <span className={clsx('text-xs font-normal', configured ? 'text-accent' : 'text-ink-3')}>
      {configured ? (id === 'built-in' ? ready : isConfigured) : missing}
    </span>
  );
}

function Facts({ provider }: { readonly provider: ProviderReport }) {
  const { id, configured, baseUrl, hasKey, variables, models } = provider;
  const text = settingsStrings.providers;
  if (!configured) {
    return <p className="mt-2 text-xs text-ink-3">{text.setUp(variables[0] ?? '')}</p>;
  }
  const facts = [
    ...(baseUrl === null ? [] : [[text.address, baseUrl]]),
    ...(id === 'built-in' ? [] : [[text.key, hasKey ? text.hasKey : text.noKey]]),
    [text.offered, text.models(models)],
    ...(variables.length === 0 ? [] : [[text.variables, variables.join(', ')]]),
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
