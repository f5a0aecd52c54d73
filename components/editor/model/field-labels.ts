import { translator } from '#components/i18n.ts';
import type { Messages } from '#components/language.ts';
import type { SectionType } from '#server/core/site/content';
import type { SectionFields } from '#server/core/site/section-fields';

const tKinds = translator('sectionKinds');
const tSectionFields = translator('sectionFields');
const tPageFields = translator('pageFields');
const tSections = translator('pageSections');

/** Names of all fields of a value, including those of items. */
type NamesIn<Value> = Value extends readonly (infer Item)[]
  ? NamesIn<Item>
  : Value extends object
    ? { [Name in keyof Value & string]: Name | NamesIn<Value[Name]> }[keyof Value & string]
    : never;

/** Names of the fields whose labels are among the messages of the kind. */
type OwnFieldNames<Type extends SectionType> = Messages['sectionKinds'][Type] extends { readonly fields: infer Fields }
  ? keyof Fields
  : never;

/** Names of the fields without labels, among the messages of their kind and among those of all kinds. */
type UnlabelledFields = {
  [Type in SectionType]: Exclude<
    NamesIn<Required<SectionFields<Type>>>,
    OwnFieldNames<Type> | keyof Messages['sectionFields']
  >;
}[SectionType];

/** The name of a field. Does not compile while a field has no labels. */
type FieldName<Unlabelled extends never> = string | Unlabelled;

/** Texts of one field. */
export interface FieldLabels {
  readonly label: string;
  /** Help below the control. */
  readonly help?: string | undefined;
  /** Name of one item of a list: `Question`. */
  readonly item?: string | undefined;
  /** Name of a choice; '' stands for no choice. */
  readonly choice?: (value: string) => string;
}

/** Name of a kind of section. */
export const kindName = (type: SectionType): string => tKinds(`${type}.name`);

/** What a kind of section is for, in one sentence. */
export const kindPurpose = (type: SectionType): string => tKinds(`${type}.purpose`);

/** Displayed name of a section: its kind, and its own name if it has one: `Hero: Come in`. */
export function sectionTitle(type: SectionType, name: string): string {
  return name === '' ? kindName(type) : tSections('section', { kind: kindName(type), name });
}

/** Texts of a field in a section of this kind: those of the kind, else those that all kinds share. */
export function fieldLabels(type: SectionType, name: FieldName<UnlabelledFields>): FieldLabels {
  return labelsAt(tKinds.find, `${type}.fields.${name}`) ?? labelsAt(tSectionFields.find, name) ?? { label: name };
}

/** Texts of a field of a page outside its sections; names of `seo` fields have the prefix `seo.`. */
export function pageFieldLabels(name: string): FieldLabels {
  return labelsAt(tPageFields.find, name) ?? { label: name };
}

/** Name of a layout of a kind; '' is the layout of sections without one. Undefined if the kind has no such layout. */
export function layoutName(type: SectionType, layout: string): string | undefined {
  return tKinds.find(`${type}.fields.layout.choices.${layout || 'none'}`);
}

function labelsAt(find: (key: string) => string | undefined, path: string): FieldLabels | undefined {
  const label = find(`${path}.label`);
  if (label === undefined) return undefined;
  return {
    label,
    help: find(`${path}.help`),
    item: find(`${path}.item`),
    choice: (value) => find(`${path}.choices.${value || 'none'}`) ?? value,
  };
}
