import clsx from 'clsx';
import { X } from 'lucide-react';
import type { FieldProps } from '#components/settings/inputs/setting-input-field';
import { IconButton } from '#components/ui/icon-button';
import { settingsStrings } from '#lib/strings/settings';
import { toolName } from '#lib/chat/tool-titles';
import type { ToolReport } from '#server/core/settings-report';

interface PoliciesFieldProps extends FieldProps<Readonly<Record<string, string>>> {
  readonly names: readonly string[];
  readonly tools: readonly ToolReport[];
}

/** What each tool may do. */
export function PoliciesField({ id, isInvalid, names, tools, value, onChange }: PoliciesFieldProps) {
  const gone = Object.keys(value).filter((name) => !tools.some((tool) => tool.name === name));
  const remove = (name: string) => {
    const { [name]: _, ...others } = value;
    onChange(others);
  };
  return (
    <div
      className={clsx('overflow-hidden rounded-lg border bg-sheet', isInvalid ? 'border-red' : 'border-rule-strong')}
    >
      {tools.map((tool, index) => (
        <div
          key={tool.name}
          className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-rule px-4 py-2.5 last:border-b-0"
        >
          <div className="min-w-52 flex-1">
            <p className="text-sm font-medium">
              {toolName(tool.name)}
              {tool.writes && (
                <span className="ml-2 text-xs font-normal text-ink-3">
                  {tool.policy === 'ask' ? settingsStrings.tools.asks : settingsStrings.tools.writes}
                </span>
              )}
            </p>
            <p className="text-xs text-ink-2">{tool.description}</p>
          </div>
          <PolicySwitch
            id={index === 0 ? id : `${id}-${tool.name}`}
            label={settingsStrings.tools.policyOf(toolName(tool.name))}
            names={names}
            value={value[tool.name] ?? tool.policy}
            onChange={(name) => (name === tool.policy ? remove(tool.name) : onChange({ ...value, [tool.name]: name }))}
          />
        </div>
      ))}
      {gone.map((name) => (
        <div
          key={name}
          className="flex items-center justify-between gap-4 border-b border-rule px-4 py-2 last:border-b-0"
        >
          <p className="text-sm text-ink-2">
            <code className="font-mono text-xs">{name}</code> · {settingsStrings.tools.unknown}
          </p>
          <IconButton
            label={settingsStrings.record.remove(name)}
            icon={<X aria-hidden />}
            onClick={() => remove(name)}
          />
        </div>
      ))}
    </div>
  );
}

interface PolicySwitchProps {
  readonly id: string;
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (name: string) => void;
}

function PolicySwitch({ id, label, names, value, onChange }: PolicySwitchProps) {
  return (
    <div role="radiogroup" aria-label={label} className="flex shrink-0 rounded-md bg-ink/6 p-0.5">
      {names.map((name, index) => (
        <label
          key={name}
          className={clsx(
            'cursor-pointer rounded px-2.5 py-1 text-xs has-focus-visible:outline-2 has-focus-visible:outline-accent',
            name === value
              ? 'bg-sheet font-medium text-ink shadow-[0_1px_2px_rgb(0_0_0/0.12)] dark:bg-rule-strong'
              : 'text-ink-2 hover:text-ink',
          )}
        >
          <input
            id={index === 0 ? id : undefined}
            type="radio"
            name={id}
            value={name}
            checked={name === value}
            onChange={() => onChange(name)}
            className="sr-only"
          />
          {settingsStrings.tools.policies[name] ?? name}
        </label>
      ))}
    </div>
  );
}
