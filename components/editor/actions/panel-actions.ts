import { createContext, useContext } from 'react';

/** Opens the panels and dialogs for editing the displayed page. They have no effect where the user may not edit. */
export interface PanelActions {
  /** Opens the fields of a section. */
  readonly editSection: (sectionId: string) => void;
  /** Opens the settings of the page. */
  readonly openSettings: () => void;
  /** Asks for the kind of section to add. `index` is its position; 0 is before all others. */
  readonly addSection: (index: number) => void;
  /** Opens the dialog for a new page. */
  readonly newPage: () => void;
  /** True while a text is looked for on the page. */
  readonly isFinding: boolean;
  /** Opens or closes the bar that finds a text on the page. */
  readonly setFinding: (isFinding: boolean) => void;
}

const PanelActionsContext = createContext<PanelActions | null>(null);

/** Provides the panels of a page to the components below it. */
export const PanelActionsProvider = PanelActionsContext.Provider;

/** The panels of the surrounding page. Throws outside it. */
export function usePanelActions(): PanelActions {
  const actions = useContext(PanelActionsContext);
  if (!actions) throw new Error('usePanelActions needs a PanelActionsProvider above it.');
  return actions;
}
