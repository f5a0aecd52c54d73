import clsx from 'clsx';
import { fieldLook } from '#components/ui/field';
import { settingsStrings } from '#lib/strings/settings';
import { toolName } from '#lib/chat/tool-titles';
import type { ToolReport } from '#server/core/settings-report';

interface ToolPickerProps {
  readonly id: string;
  readonly tools: readonly ToolReport[];
  /** Empty: none is chosen. */
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** One of the assistant's tools. */
export function ToolPicker({ id, tools, value, onChange }: ToolPickerProps) {
  return (
    <select
      id={id}
      aria-label={settingsStrings.record.pick.tool}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={clsx(fieldLook, 'w-full border-rule-strong text-sm', value === '' && 'text-ink-3')}
    >
      <option value="">{settingsStrings.record.pick.tool}</option>
      {tools.map(({ name }) => (
        <option key={name} value={name} className="text-ink">
          {toolName(name)}
        </option>
      ))}
    </select>
  );
}
