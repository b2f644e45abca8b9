import "./inline.js";
export * from "./api.js";
