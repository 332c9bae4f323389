package intake

// ByPriority is the order of tasks.
var ByPriority = byPriority
