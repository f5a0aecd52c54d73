import { ChoiceField } from '#components/settings/inputs/choice-field';
import { ModelField } from '#components/settings/inputs/model-field';
import { NumberField } from '#components/settings/inputs/number-field';
import { NumbersField } from '#components/settings/inputs/numbers-field';
import { PoliciesField } from '#components/settings/inputs/policies-field';
import { ToggleField } from '#components/settings/inputs/toggle-field';
import type { SettingReference, SettingValue, ToolReport } from '#server/core/settings-report';

/** What every field of a setting is given. */
export interface FieldProps<Value> {
  readonly id: string;
  readonly labelId: string;
  readonly describedBy: string;
  readonly isInvalid: boolean;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

interface SettingInputFieldProps extends FieldProps<SettingValue> {
  readonly setting: SettingReference;
  readonly tools: readonly ToolReport[];
}

/** The field for a setting's kind. */
export function SettingInputField({ setting, tools, value, ...props }: SettingInputFieldProps) {
  const { input } = setting;
  switch (input.kind) {
    case 'number':
      return <NumberField {...props} setting={setting} input={input} value={value} />;
    case 'toggle':
      return <ToggleField {...props} value={value === true} />;
    case 'choice':
      return <ChoiceField {...props} names={input.names} value={value as string} />;
    case 'model':
      return <ModelField {...props} word={input.word} value={value as string} />;
    case 'numbers':
      return <NumbersField {...props} input={input} tools={tools} value={value as Record<string, number | ''>} />;
    case 'choices':
      return <PoliciesField {...props} names={input.names} tools={tools} value={value as Record<string, string>} />;
  }
}
