module example.com/ratelimit

go 1.25.0
