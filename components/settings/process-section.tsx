import { Section } from '#components/settings/settings-group';
import { settingsStrings } from '#lib/strings/settings';
import type { ProcessSetting } from '#server/core/settings-report';

/** What the server was started with, to read only. */
export function ProcessSection({ settings }: { readonly settings: readonly ProcessSetting[] }) {
  return (
    <Section name="process" title={settingsStrings.process.title} body={settingsStrings.process.body}>
      <dl className="border-t border-rule">
        {settings.map((setting) => (
          <div
            key={setting.name}
            className="grid gap-x-8 gap-y-1 border-b border-rule py-3.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
          >
            <dt className="min-w-0">
              <code className="font-mono text-xs break-all">{setting.name}</code>
              <span className="mt-0.5 block text-sm text-ink-2">{setting.description}</span>
            </dt>
            <dd className="min-w-0 text-sm">
              <Value setting={setting} />
              {setting.default !== '' && setting.isSet && (
                <span className="block text-xs text-ink-3">{settingsStrings.process.default(setting.default)}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Value({ setting: { isSecret, isSet, value } }: { readonly setting: ProcessSetting }) {
  if (isSecret && isSet) return <span className="text-ink-2">{settingsStrings.process.secretSet}</span>;
  if (value === null) return <span className="text-ink-3">{settingsStrings.process.unset}</span>;
  return <code className="font-mono text-xs break-all">{value}</code>;
}
