module github.com/hashmark-dev/hashmark/hack/build/pause

go 1.26.0
