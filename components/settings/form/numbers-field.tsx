import { translator } from '#components/i18n.ts';
import clsx from 'clsx';
import { X } from 'lucide-react';
import { useState } from 'react';
import { toolName } from '#components/chat/parts/tool-titles.ts';
import { ModelField } from '#components/settings/form/model-field';
import type { FieldProps } from '#components/settings/form/field-props.ts';
import { NumberInputField } from '#components/settings/form/number-input';
import { unitName } from '#components/settings/form/number-text.ts';
import { numberProblem } from '#components/settings/form/setting-problems.ts';
import { Button, IconButton } from '#components/ui/buttons';
import { fieldStyle } from '#components/ui/fields';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import type { SettingInput, ToolReport } from '#server/core/admin/settings-report';

const t = translator('settings');

type NumbersInput = Extract<SettingInput, { kind: 'numbers' }>;

interface NumbersFieldProps extends FieldProps<Readonly<Record<string, number | ''>>> {
  readonly input: NumbersInput;
  readonly tools: readonly ToolReport[];
}

/** A number for each of several models or tools, as a table to which rows can be added. */
export function NumbersField({ id, input, tools, isInvalid, value, onChange }: NumbersFieldProps) {
  const { of } = input;
  const keys = Object.keys(value);
  const set = (key: string, amount: number | '') => onChange({ ...value, [key]: amount });
  const remove = (key: string) => {
    const { [key]: _, ...others } = value;
    onChange(others);
  };
  return (
    <div className={clsx('rounded-lg border bg-sheet', isInvalid ? 'border-red' : 'border-rule-strong')}>
      {keys.length === 0 ? (
        <p className="px-4 py-3 text-sm text-ink-3">{t(`record.none.${of}`)}</p>
      ) : (
        <table className="w-full text-sm">
          <thead className="text-left text-xs text-ink-3">
            <tr>
              <th scope="col" className="px-4 pt-2.5 font-normal">
                {t(`record.key.${of}`)}
              </th>
              <th scope="col" className="px-2 pt-2.5 font-normal">
                {unitName(input.displayUnit, '')}
              </th>
              <th scope="col">
                <span className="sr-only">{t('record.removal')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key} ref={passOnFocus} className="border-b border-rule last:border-b-0">
                <th scope="row" className="px-4 py-1.5 text-left font-normal break-all">
                  {key}
                </th>
                <td className="w-36 px-2 py-1.5">
                  <Amount
                    input={input}
                    label={`${key}, ${unitName(input.displayUnit, '')}`}
                    value={value[key] ?? ''}
                    onChange={(amount) => set(key, amount)}
                  />
                </td>
                <td className="w-11 py-1.5 pr-2">
                  <IconButton
                    label={t('record.remove', { key })}
                    icon={<X aria-hidden />}
                    onClick={() => remove(key)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <AddRow id={id} input={input} tools={tools} listed={keys} onAdd={set} />
    </div>
  );
}

interface AmountProps {
  readonly input: NumbersInput;
  readonly label: string;
  readonly value: number | '';
  readonly onChange: (value: number | '') => void;
  /** Called on Enter; if absent, Enter saves the form. */
  readonly onEnter?: () => void;
}

function Amount({ input, label, value, onChange, onEnter }: AmountProps) {
  const ofEach = { ...input, whole: true };
  return (
    <NumberInputField
      input={ofEach}
      placeholder={unitName(input.displayUnit, '')}
      aria-label={label}
      isInvalid={value !== '' && numberProblem(value, ofEach) !== null}
      value={value}
      onChange={onChange}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || onEnter === undefined) return;
        event.preventDefault();
        onEnter();
      }}
      className="w-full text-sm placeholder:text-ink-3"
    />
  );
}

interface AddRowProps {
  readonly id: string;
  readonly input: NumbersInput;
  readonly tools: readonly ToolReport[];
  /** Models or tools that have a number already. */
  readonly listed: readonly string[];
  readonly onAdd: (key: string, amount: number) => void;
}

function AddRow({ id, input, tools, listed, onAdd }: AddRowProps) {
  const { of } = input;
  const [key, setKey] = useState('');
  const [amount, setAmount] = useState<number | ''>('');
  const isReady = key !== '' && amount !== '' && numberProblem(amount, { ...input, whole: true }) === null;
  const add = () => {
    if (!isReady) return;
    onAdd(key, amount);
    setKey('');
    setAmount('');
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-rule px-4 py-2.5">
      <div className="min-w-48 flex-1">
        {of === 'model' ? (
          <ModelField
            id={id}
            labelId=""
            label={key === '' ? t('record.pick.model') : `${t('record.key.model')}: ${key}`}
            describedBy=""
            isInvalid={false}
            openChoice={null}
            placeholder={t('record.pick.model')}
            value={key}
            onChange={setKey}
          />
        ) : (
          <ToolPicker
            id={id}
            tools={tools.filter(({ name }) => !listed.includes(name))}
            value={key}
            onChange={setKey}
          />
        )}
      </div>
      <div className="w-32">
        <Amount
          input={input}
          label={unitName(input.displayUnit, '')}
          value={amount}
          onChange={setAmount}
          onEnter={add}
        />
      </div>
      <Button className="h-9" disabled={!isReady} onClick={add}>
        {t('record.add')}
      </Button>
    </div>
  );
}

interface ToolPickerProps {
  readonly id: string;
  readonly tools: readonly ToolReport[];
  /** Empty if none is chosen. */
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** Choice of one tool of the assistant. */
function ToolPicker({ id, tools, value, onChange }: ToolPickerProps) {
  return (
    <select
      id={id}
      aria-label={t('record.pick.tool')}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={clsx(fieldStyle, 'w-full border-rule-strong text-sm', value === '' && 'text-ink-3')}
    >
      <option value="">{t('record.pick.tool')}</option>
      {tools.map(({ name }) => (
        <option key={name} value={name} className="text-ink">
          {toolName(name)}
        </option>
      ))}
    </select>
  );
}
