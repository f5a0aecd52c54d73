/** What a route is given to refuse. `{session}` in a path or body is the session of this file. */
export interface RouteRow {
  /** A path where everything is right; what is wrong comes in addition. */
  readonly path: string;
  /** The same path naming what is not there: 404. */
  readonly absent?: readonly string[];
  /** The same path with ids that cannot be: 400 or 404. */
  readonly malformed?: readonly string[];
  /** A body the route would accept; the text `Words` in it is free text. */
  readonly body?: object;
  /** It takes any bytes; these it refuses: 400, 413 or 415. */
  readonly wrongBytes?: readonly Buffer[];
  /** Changes of that body that make it wrong: 400, 404, 409, 413 or 422. */
  readonly wrong?: readonly object[];
  /** Bytes. */
  readonly bodyLimit?: number;
  /** Query strings: 400. */
  readonly queries?: readonly string[];
}
