module github.com/planlock/planlock/internal/house

go 1.25.0
