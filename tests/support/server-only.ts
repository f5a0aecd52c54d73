/** Stands in for the package of this name, which refuses to load outside Next. */
export default null;
