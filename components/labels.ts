/** The labels of choices, in the order of the choices. */
export function labelsOf<const Choice extends string>(
  choices: readonly Choice[],
  label: (choice: Choice) => string,
): Readonly<Record<Choice, string>> {
  return Object.fromEntries(choices.map((choice) => [choice, label(choice)])) as Record<Choice, string>;
}
