import "./node.js";
export * from "./api.js";
