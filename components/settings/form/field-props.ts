/** Props of the field of any setting. */
export interface FieldProps<Value> {
  /** Id for the element that takes the focus. */
  readonly id: string;
  /** Id of the element with the label. */
  readonly labelId: string;
  /** Ids of the elements that describe the field, separated by spaces. */
  readonly describedBy: string;
  readonly isInvalid: boolean;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}
