/** A page in a frame; a new object after each load. */
export interface ShownPage {
  readonly window: Window;
}
